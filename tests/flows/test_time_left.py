"""The estimate of time left: of what this run did, with its spread until one number is worth anything."""

import pytest

from demur.engine.progress_events import Estimator, TimeBounds, said


def test_estimate_is_not_known_before_a_second_unit_has_ended() -> None:
    estimate = Estimator({"respond": 1000})
    estimate.started("respond", 1000, 0, now=0.0)
    assert estimate.left(20.0).stage is None
    estimate.advanced("respond", 1, now=20.0)
    assert estimate.left(20.0).stage is None and estimate.left(20.0).round is None


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
