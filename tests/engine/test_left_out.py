"""Models that are left out of a stage, since too many of their units failed."""

import pytest

from demur.engine.shard import LeavingOut, ShardResults
from demur.engine.units import Unit
from demur.programs.call_scope import CallScope
from demur.programs.errors import LaneError, ReplyError


def unit(number: int, respondent: str) -> Unit:
    inputs = {"item_id": f"item {number}", "respondent": respondent, "replicate": 0, "question": "When?"}
    return Unit(
        f"{respondent} {number}", "stamp", inputs, None, None, CallScope("round", "respond", f"{respondent} {number}")
    )


def results(most_failed: float, *labels: str) -> ShardResults:
    leaving_out = LeavingOut("respondent", most_failed, frozenset(labels))
    return ShardResults("round", "respond", "shard", 0.2, leaving_out)


def test_model_with_more_failures_than_allowed_is_left_out_and_no_other() -> None:
    shard = results(2)
    for number in range(3):
        assert shard.left_out(unit(9, "bad")) is None
        shard.add(unit(number, "bad"), LaneError("no server", kind="server"))
        shard.add(unit(number, "good"), {})
    assert shard.left_out(unit(9, "bad")) == "bad" and shard.left_out(unit(9, "good")) is None
    assert shard.failed_by == {"bad": 3} and shard.why == {"bad": "no server"}


def test_failure_that_was_mended_and_units_in_a_foreign_language_do_not_count() -> None:
    shard = results(0)
    shard.add(unit(1, "rules"), LaneError("not English", kind="language"))
    shard.add(unit(2, "rules"), LaneError("no server", kind="server"))
    shard.add(unit(2, "rules"), {})
    assert shard.failed_by == {} and shard.left_out(unit(3, "rules")) is None


def test_model_that_another_shard_left_out_is_left_out_from_the_start() -> None:
    assert results(5, "bad").left_out(unit(1, "bad")) == "bad"


def test_failure_says_which_response_is_missing() -> None:
    shard = results(5)
    shard.add(unit(1, "bad"), LaneError("no server", kind="server"))
    [row] = shard.failures.values()
    assert row["subject"] == '{"item_id": "item 1", "respondent": "bad", "replicate": 0}'


@pytest.mark.parametrize(("leaves_out", "halts"), [(True, False), (False, True)])
def test_unreadable_replies_halt_a_stage_whose_models_cannot_be_left_out(leaves_out: bool, halts: bool) -> None:
    shard = results(100) if leaves_out else ShardResults("round", "judge", "shard", 0.2)
    for number in range(6):
        shard.add(unit(number, "bad"), ReplyError("the reply is empty", reply=""))
    assert (shard.too_many_unreadable() is not None) is halts
