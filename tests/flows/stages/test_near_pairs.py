"""Near pairs of a finished round: a control and the item of its base instance that was changed least."""

from tests.flows.finished_rounds import FinishedRound
from tests.flows.simulated import number, rows


def test_near_pairs_join_each_control_to_the_least_changed_item_that_is_to_be_refused(
    rules_round: FinishedRound,
) -> None:
    home = rules_round.home.root
    assert number(home, "SELECT count(*) FROM near_pairs WHERE words_changed > 0") > 0
    nearer = (
        "SELECT count(*) FROM near_pairs p JOIN live_items i USING (round_id, base_id) "
        "WHERE i.expected <> 'ANSWER_CORRECTLY' AND i.words_changed < p.words_changed"
    )
    assert number(home, nearer) == 0
    by_hand = (
        "SELECT respondent, round(avg(CAST(both_right AS DOUBLE)), 3) FROM pair_responses GROUP BY ALL ORDER BY ALL"
    )
    assert rows(home, by_hand) == rows(home, "SELECT respondent, pairs_right FROM leaderboard ORDER BY ALL")
