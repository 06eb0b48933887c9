import numpy as np
import pytest
from scipy.stats import bootstrap as scipy_bootstrap

from demur.scoring import bootstrap as module
from demur.scoring.bootstrap import FloatArray, bootstrap, draws, evaluate, resample
from demur.scoring.errors import ScoringError


def mean(sums: FloatArray) -> FloatArray:
    return (sums[0] / sums[1])[None]


def skewed(clusters: int = 40) -> FloatArray:
    values = np.random.default_rng(8).exponential(size=clusters)
    return np.stack([values, np.ones(clusters)])[:, None, :]


def test_weights_count_the_draws_of_every_replicate() -> None:
    weights, drawn = resample(7, 50, 3), draws(7, 50, 3)
    assert (weights.sum(axis=1) == 7).all()
    assert all((weights[at] == np.bincount(drawn[at], minlength=7)).all() for at in range(50))


def test_same_seed_same_weights() -> None:
    assert (resample(9, 20, 5) == resample(9, 20, 5)).all()
    assert (resample(9, 20, 5) != resample(9, 20, 6)).any()


@pytest.mark.parametrize(("method", "low", "high"), [("percentile", "low", "high"), ("BCa", "bca_low", "bca_high")])
def test_limits_agree_with_scipy_within_monte_carlo_error(method: str, low: str, high: str) -> None:
    sums = skewed(400)
    ours = bootstrap(sums, mean, resample(400, 20_000, 1))
    theirs = scipy_bootstrap((sums[0, 0],), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(2))
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert getattr(ours, low)[0, 0] == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert getattr(ours, high)[0, 0] == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)
    assert ours.se[0, 0] == pytest.approx(theirs.standard_error, rel=0.03)


def test_few_clusters_widen_the_limits_beyond_normal_percentiles() -> None:
    sums = skewed(6)
    replicates = evaluate(sums, mean, resample(6, 4000, 1)).replicates[0, 0]
    ours = bootstrap(sums, mean, resample(6, 4000, 1))
    assert ours.low[0, 0] < np.percentile(replicates, 2.5)
    assert ours.high[0, 0] > np.percentile(replicates, 97.5)


def test_replicates_where_undefined_are_left_out() -> None:
    sums = np.array([[[1.0, 0.0, 2.0]], [[1.0, 0.0, 4.0]]])

    def quotient(s: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return (s[0] / s[1])[None]

    values = evaluate(sums, quotient, resample(3, 500, 1)).replicates[0, 0]
    ours = bootstrap(sums, quotient, resample(3, 500, 1))
    assert np.isnan(values).any()
    assert ours.se[0, 0] == pytest.approx(np.nanstd(values, ddof=1))
    assert np.nanmin(values) <= ours.low[0, 0] <= ours.high[0, 0] <= np.nanmax(values)


def test_blocks_of_slices_give_the_same_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = np.repeat(skewed(), 5, axis=1) * np.array([1.0, 2.0, 3.0, 4.0, 5.0])[None, :, None]
    whole = bootstrap(sums, mean, resample(40, 300, 1))
    monkeypatch.setattr(module, "BLOCK", 1)
    blocks = bootstrap(sums, mean, resample(40, 300, 1))
    np.testing.assert_allclose(blocks.bca_high, whole.bca_high, rtol=1e-12)


@pytest.mark.parametrize(("clusters", "replicates", "message"), [(0, 10, "0 clusters"), (3, 1, "1 replicates")])
def test_draws_too_few_say_so(clusters: int, replicates: int, message: str) -> None:
    with pytest.raises(ScoringError, match=message):
        draws(clusters, replicates, 0)
