import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.scoring.errors import ScoringError
from demur.scoring.irt.fit import GRADIENT, fit
from demur.scoring.irt.likelihood import penalised
from demur.scoring.irt.patterns import Patterns
from demur.scoring.irt.posterior import (
    ABILITIES,
    group_parameters,
    information_at,
    information_curves,
    item_parameters,
)
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, MISSING, frame_of


def drawn(respondents: int, bases: int, seed: int, items_per_base: int = 4) -> tuple[Patterns, np.ndarray, np.ndarray]:
    """Patterns drawn from the model, with the abilities and difficulties behind them."""
    rng = np.random.default_rng(seed)
    items = bases * items_per_base
    difficulty, slope = 1.2 * rng.standard_normal(items), np.exp(0.3 * rng.standard_normal(items))
    abilities = np.linspace(-1.5, 1.5, respondents)
    chance = 1.0 / (1.0 + np.exp(-slope[:, None] * (abilities - difficulty[:, None])))
    right = (rng.random(chance.shape) < chance).astype(np.float64)
    names = tuple(f"r{at}" for at in range(respondents)), tuple(f"i{at}" for at in range(items))
    base = np.repeat(np.arange(bases), items_per_base)
    return Patterns.counted(right, np.ones_like(right), base, *names), abilities, difficulty


def test_patterns_take_items_answered_alike_together_and_leave_controls_out() -> None:
    rows = [("a", AMBIGUOUS, AMBIGUOUS, None), ("a", ANSWER, ATTEMPT, True), ("b", MISSING, MISSING, None)]
    frame = frame_of(rows, kind=["perturbed", "perturbed", "control"])
    both = pd.concat([frame, frame.assign(model="n", predicted="INVALID")], ignore_index=True)
    found = Patterns.of(both)
    assert (found.respondents, found.items, found.clusters) == (("m", "n"), ("i0", "i1"), 1)
    assert found.right.tolist() == [[1.0, 0.0]] and found.trials.tolist() == [[1.0, 1.0]]
    assert found.copies.tolist() == [2.0] and found.pattern.tolist() == [0, 0]


def test_patterns_count_no_trials_of_answers_that_nobody_graded() -> None:
    frame = frame_of([("a", ANSWER, ATTEMPT, None), ("b", AMBIGUOUS, AMBIGUOUS, None)])
    found = Patterns.of(frame)
    assert found.items == ("i1",) and found.trials.tolist() == [[1.0]]


def test_fit_of_planted_respondents_is_certified_and_holds_their_abilities() -> None:
    patterns, abilities, difficulty = drawn(8, 60, seed=3)
    found = fit(patterns)
    assert found.is_certified and found.gradient < GRADIENT < found.curvature
    se, low, high = found.ability_intervals()
    assert ((low <= abilities) & (abilities <= high)).mean() >= 7 / 8
    assert (np.diff(found.at.abilities) > 0).all() and (se < 0.4).all()
    items = item_parameters(found, 1.5, seed=0)
    assert np.corrcoef(items.difficulty.value, difficulty)[0, 1] > 0.75
    assert ((items.difficulty.low <= difficulty) & (difficulty <= items.difficulty.high)).mean() > 0.9


@settings(max_examples=10, deadline=None)
@given(st.integers(2, 6), st.integers(3, 20), st.integers(0, 10_000))
def test_slope_of_the_likelihood_is_its_derivative(respondents: int, bases: int, seed: int) -> None:
    patterns, abilities, _ = drawn(respondents, bases, seed)
    at = np.concatenate([abilities, [0.1, -0.8]])
    _, slope = penalised(patterns, at)
    for place, step in enumerate(np.eye(len(at)) * 1e-5):
        numeric = (penalised(patterns, at + step)[0] - penalised(patterns, at - step)[0]) / 2e-5
        assert slope[place] == pytest.approx(numeric, rel=1e-4, abs=1e-4)


def test_four_respondents_tell_less_of_an_item_than_thirty() -> None:
    width = {}
    for respondents in (4, 30):
        items = item_parameters(fit(drawn(respondents, 40, seed=5)[0]), 0.0, seed=0)
        width[respondents] = float((items.difficulty.high - items.difficulty.low).mean())
    assert width[4] > 1.4 * width[30]
    assert width[4] > 2.5, "four responses say little of one item"


def test_respondent_that_gets_everything_right_has_a_finite_ability() -> None:
    patterns, *_ = drawn(4, 20, seed=7)
    right = np.column_stack([patterns.right[patterns.pattern], np.ones(80)])
    found = fit(Patterns.counted(right, np.ones_like(right), patterns.cluster, tuple("abcde"), patterns.items))
    assert found.is_certified
    assert 2.0 < found.at.abilities[-1] < 9.0 and found.ability_intervals()[2][-1] < 15.0


def test_alike_items_of_a_source_question_widen_the_interval() -> None:
    patterns, *_ = drawn(6, 20, seed=11, items_per_base=1)
    each = patterns.right[patterns.pattern]
    often, whose = np.repeat(each, 5, axis=0), np.repeat(np.arange(20), 5)
    names = tuple(f"i{at}" for at in range(100))
    apart = Patterns.counted(often, np.ones_like(often), np.arange(100), patterns.respondents, names)
    clustered = Patterns.counted(often, np.ones_like(often), whose, patterns.respondents, names)
    assert (fit(clustered).ability_intervals()[0] > 1.5 * fit(apart).ability_intervals()[0]).all()


def test_suspicion_is_highest_for_an_item_that_only_the_weak_get_and_even_without_a_sign() -> None:
    patterns, abilities, _ = drawn(12, 50, seed=13)
    right = patterns.right[patterns.pattern].copy()
    right[17] = abilities < 0.0
    right[18] = 1.0
    planted = Patterns.counted(right, np.ones_like(right), patterns.cluster, patterns.respondents, patterns.items)
    suspicion = item_parameters(fit(planted), 0.0, seed=0).suspicion
    assert suspicion is not None
    assert suspicion.argmax() == 17 and suspicion[17] > 0.95
    assert suspicion[18] == pytest.approx(0.5, abs=0.1)


def test_groups_of_few_items_lean_on_the_others_and_find_the_hard_one() -> None:
    patterns, _, difficulty = drawn(10, 50, seed=17)
    group = np.where(difficulty > 0.8, 0, 1 + np.arange(200) % 4)
    group[:3] = -1
    found = group_parameters(fit(patterns), group, 6, 0.0, seed=0)
    assert found.difficulty.value.argmax() == 0 and found.difficulty.low[0] > 0.3
    empty = found.difficulty.high[5] - found.difficulty.low[5]
    assert empty == (found.difficulty.high - found.difficulty.low).max()
    assert (found.information.low >= 0.0).all() and (found.discrimination.low > 0.0).all()


def test_information_curve_of_a_round_is_the_sum_over_its_parts_and_peaks_among_its_items() -> None:
    patterns, *_ = drawn(10, 30, seed=19)
    found = fit(patterns)
    whole, first, second = information_curves(found, [np.arange(120), np.arange(50), np.arange(50, 120)])
    np.testing.assert_allclose(whole, first + second)
    assert abs(ABILITIES[whole.argmax()]) < 1.0
    peak = information_at(found.at, np.array([0.0]))
    assert peak.max() <= found.at.slopes.max() ** 2 / 4.0 + 1e-12


def test_one_respondent_is_refused_with_what_is_missing() -> None:
    patterns, *_ = drawn(1, 5, seed=23)
    with pytest.raises(ScoringError, match="1 respondents, 5 source questions; give at least 2 of each"):
        fit(patterns)


def test_fits_of_the_same_responses_are_the_same_numbers() -> None:
    patterns, *_ = drawn(5, 30, seed=29)
    first, second = (item_parameters(fit(patterns), 0.5, seed=4) for _ in range(2))
    assert first.difficulty.value.tolist() == second.difficulty.value.tolist()
    assert not any(math.isnan(value) for value in first.information.high.tolist())
