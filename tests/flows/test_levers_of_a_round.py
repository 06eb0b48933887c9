"""Levers of a round: a user's own beside ours or alone, what was assigned, what became of it; items made before."""

from pathlib import Path
from typing import Any

import pytest

from demur.errors import ConfigError
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.finished_rounds import RULES_ROLES, FinishedRound
from tests.flows.rounds import NO_POLICY, first_stages, small

pytestmark = [pytest.mark.usefixtures("prefect_api"), pytest.mark.slow(seconds=60)]

MINE = """\
class: P-MissingInfo
levers:
  - id: missing-info.opening-hours-left-out
    name: Opening Hours Left Out
    intensity: MEDIUM
    origin: user
    target: context
    answer: removed
    instruction: Take out every opening or closing time. Leave the sentences around it sound.
    tags: [times]
    examples:
      - question: When does the mill at Orran open?
        answers: [9 am]
        passages:
          - text: The mill at Orran was built in 1820. It opens at 9 am on weekdays and sells flour at the door.
        change:
          passages: {0: The mill at Orran was built in 1820. It opens on weekdays and sells flour at the door.}
        expected: REFUSE_INFO_MISSING_IN_CONTEXT
      - question: When does the ferry office close?
        answers: [half past six]
        passages:
          - text: The ferry office stands on the quay. It closes at half past six, and tickets are sold on board then.
        change:
          passages: {0: "The ferry office stands on the quay. It closes early, and tickets are sold on board then."}
        expected: REFUSE_INFO_MISSING_IN_CONTEXT
"""
WITH_RECIPE = (
    MINE.replace("opening-hours-left-out", "token-blacked-out")
    .replace("Opening Hours Left Out", "Token Blacked Out")
    .replace("tags: [times]", "recipe: missing_info.strange_passages")
    .replace("answer: removed", "answer: removed\n    needs: [answer stands in the passages]")
    .partition("levers:\n")[2]
)
TWO_STRATA = {
    "lever_choice": "assigned",
    "replicates": 4,
    "classes": ["P-MissingInfo", "P-EpistemicMismatch"],
    "intensities": ["MEDIUM"],
}


def configured(folder: Path, **changes: Any) -> Path:
    """A round of two strata whose catalogue has two levers of a user's own."""
    (folder / "mine.yaml").write_text(MINE + WITH_RECIPE, encoding="utf-8")
    catalogue = {"ours": True, "paths": ["mine.yaml"]}
    return small(
        folder,
        **{"bases": 3, "generation": TWO_STRATA, "catalogue": catalogue, "roles": RULES_ROLES, "fit": NO_POLICY}
        | changes,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, prefect_api: str) -> Home:
    """The home of a round whose items are chosen; what one generator made of a base instance is in several shards."""
    from demur.flows.stages.registry import ASSEMBLY, GENERATION, VERIFICATION

    folder = tmp_path_factory.mktemp("levers")
    config = configured(folder, shard_size=10, shards_at_once=4)
    first_stages(config, folder / "home", *GENERATION, *VERIFICATION, *ASSEMBLY)
    return Home(folder / "home")


def rows(home: Home, text: str) -> list[tuple[Any, ...]]:
    with reading(home, "loader") as con:
        return con.execute(text).fetchall()


def test_round_offers_levers_of_a_user_beside_ours(finished: Home) -> None:
    origins = dict(rows(finished, "SELECT origin, count(*) FROM levers_on_offer GROUP BY ALL"))
    assert origins["user"] == 2
    assert origins["paper"] >= 20
    strata = rows(finished, "SELECT DISTINCT class, intensity FROM levers_on_offer")
    assert sorted(strata) == [("P-EpistemicMismatch", "MEDIUM"), ("P-MissingInfo", "MEDIUM")]


def test_round_lever_of_a_user_with_a_recipe_is_pulled(finished: Home) -> None:
    of = "lever_id = 'missing-info.token-blacked-out'"
    [(asked, assigned, pulled, share)] = rows(
        finished, f"SELECT asked, assigned, pulled, yield FROM lever_coverage WHERE {of}"
    )
    assert asked == assigned >= pulled >= 1
    assert 0 <= share <= 1


def test_round_that_is_released_keeps_what_it_released_and_the_next_drops_that_before_a_verifier_sees_it(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    from demur.flows.stages.registry import GENERATION

    copy = rules_round.copy(tmp_path / "round")
    kept = "SELECT perturbation_id FROM candidates WHERE round_id = 'embedded' ORDER BY ALL"
    before = rows(copy.home, kept)
    first_stages(copy.config, copy.home.root, *GENERATION)
    assert rows(copy.home, kept) == before != []
    first_stages(copy.config, copy.home.root, *GENERATION, round_id="again")
    released = {key for (key,) in rows(copy.home, "SELECT content_key FROM released_items")}
    again = rows(
        copy.home,
        "SELECT p.content_key, c.outcome, c.evidence FROM live_perturbations p JOIN live_checks c "
        "USING (round_id, perturbation_id) WHERE round_id = 'again' AND check_name = 'no_duplicate'",
    )
    met = [(outcome, evidence) for key, outcome, evidence in again if key in released]
    assert met
    assert all(outcome == "fail" and "release embedded/1 holds the same" in evidence for outcome, evidence in met)
    assert not released & {
        key for (key,) in rows(copy.home, "SELECT content_key FROM candidates WHERE round_id = 'again'")
    }


def test_round_catalogue_of_a_user_alone_offers_nothing_else(tmp_path: Path) -> None:
    from demur.flows.stages.registry import GENERATION

    generation = TWO_STRATA | {"classes": ["P-MissingInfo"]}
    alone = {"ours": False, "paths": ["mine.yaml"]}
    config = configured(tmp_path, generation=generation, catalogue=alone, bases=12)
    mine = tmp_path / "mine.yaml"
    mine.write_text(mine.read_text(encoding="utf-8").replace("strange_passages", "answer_sentences"))
    first_stages(config, tmp_path / "home", *GENERATION)
    home = Home(tmp_path / "home")
    assert rows(home, "SELECT count(*), min(origin), max(origin) FROM levers_on_offer") == [(2, "user", "user")]
    [(candidates, declined)] = rows(
        home,
        "SELECT count(*) FILTER (status = 'candidate'), count(*) FILTER (status = 'declined') FROM live_perturbations",
    )
    assert candidates >= 1
    assert declined >= 1


def test_configuration_catalogue_with_a_recipe_of_nobody_is_refused_before_the_round(
    tmp_path: Path, demur_home: Path
) -> None:
    path = configured(tmp_path)
    mine = tmp_path / "mine.yaml"
    mine.write_text(mine.read_text(encoding="utf-8").replace("strange_passages", "strange_pasages"))
    with pytest.raises(ConfigError, match=r"mine\.yaml:\d+: levers\[1\]\.recipe .* Did you mean .*strange_passages"):
        check_round(RoundRequest(str(path)))
