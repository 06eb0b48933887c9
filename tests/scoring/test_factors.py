import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, ttest_ind

from demur.scoring.model_comparisons import contrasts, correlation, trend
from demur.scoring.refusal_scores import score
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, Row, frame_of


def model_frame(name: str, false: int, missed: int) -> pd.DataFrame:
    """Ten answerable and ten unanswerable items; so many refused and attempted."""
    rows: list[Row] = [(f"s{at}", ANSWER, AMBIGUOUS if at < false else ATTEMPT, at >= false) for at in range(10)]
    rows += [(f"s{at}", AMBIGUOUS, ATTEMPT if at < missed else AMBIGUOUS, None) for at in range(10)]
    return frame_of(rows).assign(model=name)


def test_correlation_random_pairs_agree_with_scipy() -> None:
    x, y = np.random.default_rng(4).standard_normal((2, 25))
    found, theirs = correlation(list(x), list(y)), pearsonr(x, y)
    interval = theirs.confidence_interval()
    assert (found["value"], found["low"], found["high"]) == pytest.approx(
        (theirs.statistic, interval.low, interval.high)
    )


@pytest.mark.parametrize(
    ("first", "reason"), [([1.0, 2.0], "fewer than 3 models"), ([1.0, 1.0, 1.0], "no variation over models")]
)
def test_correlation_undefined_has_a_reason(first: list[float], reason: str) -> None:
    found = correlation(first, [1.0, 2.0, 3.0][: len(first)])
    assert found["value"] is None
    assert found["reason"] == reason


def test_trend_over_size_is_the_slope_per_tenfold_increase() -> None:
    frame = pd.concat([model_frame(f"m{at}", 8 - 2 * at, 1) for at in range(4)])
    scores = score(frame, replicates=9, seed=1, slices=())
    sizes = {"m0": 1.0, "m1": 10.0, "m2": 100.0, "m3": 1000.0}
    assert trend(scores, sizes, "false_refusal_rate", logarithmic=True)["value"] == pytest.approx(-0.2)


def test_contrasts_agree_with_welch_and_leave_out_models_without_a_group() -> None:
    missed = {"a": 1, "b": 3, "c": 4, "d": 8, "e": 9, "f": 5}
    frame = pd.concat([model_frame(name, 2, count) for name, count in missed.items()])
    group = {"a": "dpo", "b": "dpo", "c": "dpo", "d": "sft", "e": "sft"}
    ((first, second, found),) = contrasts(score(frame, replicates=2, seed=0), group, "missed_refusal_rate")
    theirs = ttest_ind([0.1, 0.3, 0.4], [0.8, 0.9], equal_var=False).confidence_interval(0.95)
    assert (first, second, found["models"]) == ("dpo", "sft", 5)
    assert (found["value"], found["low"], found["high"]) == pytest.approx((0.8 / 3 - 0.85, theirs.low, theirs.high))


def test_contrasts_of_single_models_have_no_interval_and_say_so() -> None:
    frame = pd.concat([model_frame("a", 2, 1), model_frame("b", 2, 4)])
    ((_, _, found),) = contrasts(score(frame, replicates=2, seed=0), {"a": "x", "b": "y"}, "missed_refusal_rate")
    assert found["value"] == pytest.approx(-0.3)
    assert (found["low"], found["reason"]) == (None, "a group of one model: no interval")
