"""The estimate of time left: the same for stage and round, with its spread until one number is worth anything."""

import pytest

from demur.engine.progress_events import Estimator, TimeBounds, said


def test_estimate_is_not_known_before_a_second_unit_has_ended() -> None:
    estimate = Estimator({"respond": 1000})
    estimate.started("respond", 1000, 0, now=0.0)
    assert estimate.left(20.0).stage is None
    estimate.advanced("respond", 1, now=20.0)
    assert estimate.left(20.0).stage is None and estimate.left(20.0).round is None


def test_estimate_after_few_answers_at_once_has_a_wide_spread_that_holds_what_came() -> None:
    """Sixteen at once at 20 s each: 1,000 take 1,260 s; the first answer alone said five hours and a half."""
    estimate = Estimator({"respond": 1000})
    estimate.started("respond", 1000, 0, now=0.0)
    ratios = []
    for wave in range(1, 60):
        for place in range(16):
            now = 20.0 * wave + place / 100
            estimate.advanced("respond", 1, now)
            found = estimate.left(now).stage
            if found is not None and wave > 1:
                comes = 20.0 * (63 - wave)
                assert found.low - 20.0 <= comes <= found.high + 20.0  # answers come in waves of 20 s
                ratios.append(found.high / found.low)
    assert ratios[0] > 2 and ratios[-1] < 1.25
    assert estimate.left(now).stage == estimate.left(now).round


def test_estimate_of_a_round_is_never_below_that_of_its_stage() -> None:
    estimate = Estimator({"ingest": 0, "generate": 100, "verify": 300})
    estimate.started("ingest", 24, 0, now=0.0)
    for at in range(1, 13):
        estimate.advanced("ingest", 1, now=60.0 * at)
        left = estimate.left(60.0 * at)
        assert left.round is None  # no unit of a model has ended: nothing is known of the stages to come
    assert left.stage is not None and left.stage.low > 120
    estimate.advanced("ingest", 12, now=721.0)
    estimate.ended("ingest", now=722.0)
    estimate.started("generate", 100, 0, now=722.0)
    for at in range(1, 51):
        estimate.advanced("generate", 1, now=722.0 + at)
    left = estimate.left(772.0)
    assert left.stage is not None and left.round is not None
    assert left.stage.low <= 50 <= left.stage.high
    assert left.round.low >= left.stage.low + 300 / 2.1 and left.round.high >= left.stage.high + 300


def test_estimate_grows_while_nothing_ends() -> None:
    estimate = Estimator({"judge": 100})
    estimate.started("judge", 100, 0, now=0.0)
    for at in range(1, 11):
        estimate.advanced("judge", 1, now=float(at))
    early, late = estimate.left(10.0).stage, estimate.left(1000.0).stage
    assert early is not None and late is not None and late.high > 50 * early.high


def test_estimate_of_a_round_that_goes_on_counts_what_this_run_did_alone() -> None:
    estimate = Estimator({"generate": 100})
    estimate.started("generate", 1000, 900, now=0.0)
    for at in range(1, 51):
        estimate.advanced("generate", 1, now=2.0 * at)
    found = estimate.left(100.0).stage
    assert found is not None and found.low <= 100 <= found.high and found.high < 200


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 0.4, "about 0 s"),
        (100, 118, "about 109 s"),
        (20, 47, "20 to 47 s"),
        (239, 601, "4 to 10 min"),
        (10, 1830, "0.2 to 30 min"),
        (0, 1830, "up to 30 min"),
        (7000, 7300, "about 119 min"),
        (3600, 18_100, "1 to 5 h"),
        (33_000, 40_000, "about 10.1 h"),
    ],
)
def test_time_is_said_with_its_spread_until_it_is_worth_one_number(low: float, high: float, words: str) -> None:
    assert said(TimeBounds(low, high)) == words
