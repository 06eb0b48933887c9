from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.scoring.lever_bandit import LeverEstimate, draw_lever, lever_states


def estimate(lever: str, information: float, half: float = 0.1, items: int = 4) -> LeverEstimate:
    return LeverEstimate(lever, items, information, information - half, information + half)


def test_state_grows_surer_with_every_round_and_lies_between_what_rounds_say() -> None:
    others = [estimate("b", 0.05), estimate("c", 0.4), estimate("d", 0.2)]
    one = [estimate("a", 0.3, 0.1), *others]
    [once] = lever_states(["a"], [one])
    [thrice] = lever_states(["a"], [one] * 3)
    assert (thrice.rounds, thrice.items) == (3, 12) and thrice.spread < 0.7 * once.spread
    assert once.information == pytest.approx(0.3) and once.spread == pytest.approx(one[0].spread)
    [apart] = lever_states(["a"], [one, [estimate("a", 0.1, 0.1), *others]])
    assert 0.1 < apart.information < 0.3


def test_round_that_says_no_more_of_a_lever_than_of_all_leaves_the_state_as_it_was() -> None:
    alike = [estimate(lever, 0.2, 0.1) for lever in "abc"]
    sharp = [estimate("a", 0.5, 0.02), estimate("b", 0.1, 0.02), estimate("c", 0.0, 0.02)]
    before, after = (lever_states(["a"], rounds)[0].information for rounds in ([sharp], [sharp, alike]))
    assert after == pytest.approx(before, rel=0.02)


def test_lever_without_rounds_has_the_mean_of_the_others_and_is_less_sure_than_any() -> None:
    first, second, new = lever_states(["a", "b", "c"], [[estimate("a", 0.1), estimate("b", 0.3)]])
    assert new.information == pytest.approx(0.2) and new.rounds == 0
    assert new.spread > max(first.spread, second.spread)


def test_levers_of_which_nothing_is_known_are_drawn_alike() -> None:
    states = {state.lever_id: state for state in lever_states("abcd", [])}
    rng = Random(5)
    drawn = Counter(draw_lever("abcd", states, rng) for _ in range(2_000))
    assert min(drawn.values()) > 400


def test_lever_that_tells_most_is_drawn_most_and_an_unsure_one_is_tried() -> None:
    estimates = [estimate("best", 0.3, 0.02), estimate("poor", 0.1, 0.02), estimate("unsure", 0.25, 0.6)]
    states = {state.lever_id: state for state in lever_states(["best", "poor", "unsure"], [estimates])}
    rng = Random(7)
    drawn = Counter(draw_lever(states, states, rng) for _ in range(1_000))
    assert drawn["best"] > drawn["unsure"] > 20 and drawn["poor"] == 0


@given(st.lists(st.sampled_from("abcdef"), min_size=1, unique=True), st.integers())
def test_draw_takes_a_lever_that_fits_and_the_same_one_with_the_same_seed(fitting: list[str], seed: int) -> None:
    states = {state.lever_id: state for state in lever_states("abcdef", [[estimate("a", 0.5), estimate("c", 0.1)]])}
    first, again = (draw_lever(fitting, states, Random(seed)) for _ in range(2))
    assert first == again and first in fitting
