import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.scoring import ScoringError
from demur.scoring.precision import design_effect, fresh_sources, half_width, static_bound


@given(st.floats(0.01, 0.5), st.floats(0.001, 0.5), st.integers(1, 200))
def test_fresh_sources_are_the_fewest_that_keep_the_tolerance(epsilon: float, delta: float, rounds: int) -> None:
    sources = fresh_sources(epsilon, delta, rounds)
    assert half_width(sources, delta, rounds) <= epsilon * (1 + 1e-9)
    assert sources == 1 or half_width(sources - 1, delta, rounds) > epsilon * (1 - 1e-9)


@given(st.floats(0.02, 0.5), st.floats(0.001, 0.5))
def test_static_bound_at_half_the_tolerance_needs_what_the_source_states(epsilon: float, delta: float) -> None:
    bound = static_bound(epsilon, delta, epsilon / 2, items=100)
    assert bound.items_needed == pytest.approx(2 / epsilon**2 * math.log(2 / delta), abs=1)


def test_static_bound_below_the_drift_is_vacuous_and_fails_for_certain() -> None:
    bound = static_bound(0.05, 0.05, 0.10, items=2000)
    assert (bound.vacuous, bound.items_needed, bound.failure_at_most) == (True, None, None)
    assert bound.failure_at_least == pytest.approx(1 - 2 * math.exp(-2 * 2000 * 0.05**2))
    assert bound.reason == "a drift of 0.1 reaches the tolerance: no static set is large enough"


@pytest.mark.parametrize(
    ("values", "icc", "value"),
    [
        ([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], 1.0, 3.0),
        ([1.0, 0.0, 0.5, 1.0, 0.0, 0.5], -0.5, 0.0),
    ],
)
def test_design_effect_extreme_correlations_match(values: list[float], icc: float, value: float) -> None:
    effect = design_effect(np.array(values), pd.Series(["a"] * 3 + ["b"] * 3))
    assert effect.icc == pytest.approx(icc)
    assert effect.value == pytest.approx(value)


def test_design_effect_of_a_constant_has_a_reason() -> None:
    effect = design_effect(np.ones(4), pd.Series(["a", "a", "b", "b"]))
    assert math.isnan(effect.value)
    assert effect.reason == "every item has the same value"


@pytest.mark.parametrize(
    ("epsilon", "delta", "rounds", "message"),
    [(0.0, 0.05, 1, "epsilon 0.0"), (0.05, 1.0, 1, "delta 1.0"), (0.05, 0.05, 0, "0 rounds")],
)
def test_fresh_sources_out_of_range_names_the_value(epsilon: float, delta: float, rounds: int, message: str) -> None:
    with pytest.raises(ScoringError, match=message):
        fresh_sources(epsilon, delta, rounds)
