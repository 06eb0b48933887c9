import numpy as np
import pytest
from scipy.stats import binomtest
from scipy.stats import bootstrap as scipy_bootstrap

from demur.scoring import ScoringError
from demur.scoring.bootstrap import FloatArray, draws, evaluate, resample
from demur.scoring.intervals import DIFFERENCE, ERROR, SHARE, Bounds, Intervals, Limits, summarise


def mean(sums: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return (sums[0] / sums[1])[None]


def skewed(clusters: int = 40) -> FloatArray:
    values = np.random.default_rng(8).exponential(size=clusters)
    return np.stack([values, np.ones(clusters)])[:, None, :]


def intervals(sums: FloatArray, weights: FloatArray, limits: Limits, span: Bounds = DIFFERENCE) -> Intervals:
    sources = np.full((1, sums.shape[1]), sums.shape[2])
    return summarise(evaluate(sums, mean, weights), sources, [span], limits=limits)


def test_weights_count_the_draws_of_every_replicate() -> None:
    weights, drawn = resample(7, 50, 3), draws(7, 50, 3)
    assert (weights.sum(axis=1) == 7).all()
    assert all((weights[at] == np.bincount(drawn[at], minlength=7)).all() for at in range(50))


@pytest.mark.parametrize(("method", "limits"), [("percentile", Limits.PERCENTILE), ("BCa", Limits.BCA)])
def test_limits_agree_with_scipy_within_monte_carlo_error(method: str, limits: Limits) -> None:
    sums = skewed(400)
    ours = intervals(sums, resample(400, 20_000, 1), limits)
    theirs = scipy_bootstrap((sums[0, 0],), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(2))
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low[0, 0] == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert ours.high[0, 0] == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)
    assert ours.se[0, 0] == pytest.approx(theirs.standard_error, rel=0.03)


@pytest.mark.parametrize("right", [12, 350])
def test_limits_of_a_share_of_independent_draws_are_wilsons(right: int) -> None:
    drawn = (np.arange(400) < right).astype(float)
    ours = intervals(np.stack([drawn, np.ones(400)])[:, None, :], resample(400, 40_000, 1), Limits.SCORE, SHARE)
    wilson = binomtest(right, 400).proportion_ci(method="wilson")
    assert ours.low[0, 0] == pytest.approx(wilson.low, abs=0.02 * (wilson.high - wilson.low))
    assert ours.high[0, 0] == pytest.approx(wilson.high, abs=0.02 * (wilson.high - wilson.low))


@pytest.mark.parametrize("value", [0.0, 0.02, 0.5, 1.0])
def test_limits_stay_within_the_span_and_around_the_value(value: float) -> None:
    parts = np.clip(value + np.array([-0.4, 0.4, -0.1, 0.1, 0.0]), 0.0, 1.0)
    ours = intervals(np.stack([parts, np.ones(5)])[:, None, :], resample(5, 500, 1), Limits.SCORE, ERROR)
    assert 0.0 <= ours.low[0, 0] <= ours.value[0, 0] <= ours.high[0, 0] <= 1.0
    assert ours.low[0, 0] < ours.high[0, 0]


def test_replicates_where_undefined_are_left_out() -> None:
    sums = np.array([[[1.0, 0.0, 2.0]], [[1.0, 0.0, 4.0]]])
    values = evaluate(sums, mean, resample(3, 500, 1)).replicates[0, 0]
    ours = intervals(sums, resample(3, 500, 1), Limits.PERCENTILE)
    assert np.isnan(values).any()
    assert ours.se[0, 0] == pytest.approx(np.nanstd(values, ddof=1))
    assert np.nanmin(values) <= ours.low[0, 0] <= ours.high[0, 0] <= np.nanmax(values)


@pytest.mark.parametrize(("clusters", "replicates", "message"), [(0, 10, "0 clusters"), (3, 1, "1 replicates")])
def test_draws_too_few_say_so(clusters: int, replicates: int, message: str) -> None:
    with pytest.raises(ScoringError, match=message):
        draws(clusters, replicates, 0)
