"""Batches whose provider does not show them, or hands their results out in pieces: nothing is bought twice unawares."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demur.engine.state.batches import StageBatches
from demur.lanes.simulator.behaviour import SimulatedOutcome, SimulatorConfig
from demur.lanes.simulator.faults import FaultPlan, SimulatedRequest, SimulatorFault, scripted
from demur.lanes.simulator.server import Simulator, serve
from demur.programs.batch_record import BatchStatus
from demur.programs.errors import ErrorKind, Halted, LaneError
from tests.flows.messages import messages
from tests.lanes.asking import MemoryCallStore
from tests.lanes.batched import BOTH_LANES, ONE_LANE, QUESTIONS, ask_batch, ask_live, book, calls_by, run_and_drop


def is_state(path: str) -> bool:
    """Whether a page says how far one batch is."""
    method, _, where = path.partition(" ")
    return method == "GET" and where.rsplit("/", 1)[-1].startswith(("batch_", "msgbatch_"))


def is_results(path: str) -> bool:
    return path.startswith("GET ") and path.endswith(("/results", "/content"))


def is_creation(path: str) -> bool:
    return path in ("POST /v1/batches", "POST /v1/messages/batches")


def on(page: Callable[[str], bool], *faults: SimulatorFault | None, ever: SimulatorFault | None = None) -> FaultPlan:
    """Return the plan by which each page of a kind meets these faults one after the other, then `ever`."""

    def plan(asked: SimulatedRequest) -> SimulatorFault | None:
        if not page(asked.digest):
            return None
        return faults[asked.attempt - 1] if asked.attempt <= len(faults) else ever

    return plan


def bought_again(simulator: Simulator) -> int:
    return simulator.counts.answered.total() - len(simulator.counts.answered)


def all_answered(answers: list[str | Exception]) -> bool:
    return len(answers) == len(QUESTIONS) and all(isinstance(answer, str) for answer in answers)


def alter_first(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, **fields: Any) -> None:
    """Let the provider put other fields into its first answer."""
    outcome, altered = simulator.outcome, []

    def once(*arguments: Any, **named: Any) -> tuple[SimulatedOutcome, float]:
        found, seconds = outcome(*arguments, **named)
        if not altered:
            altered.append(found)
            found = SimulatedOutcome(found.status, found.body | fields, found.fault)
        return found, seconds

    monkeypatch.setattr(simulator, "outcome", once)


@BOTH_LANES
async def test_batch_that_is_not_found_now_and_then_is_bought_once(lane: str, tmp_path: Path) -> None:
    call_store, missing = MemoryCallStore(), SimulatorFault.NOT_FOUND
    looks, fetches = on(is_state, missing, None, missing), on(is_results, missing, missing, missing)
    with serve(config=SimulatorConfig(batch_seconds=0.4)) as simulator:
        simulator.store.control_plan = lambda asked: looks(asked) or fetches(asked)
        # a download looks at the batch first, so on a busy machine it meets the last fault of looks too: four in a row
        answers = await ask_batch(simulator, lane, tmp_path, call_store, retries=4)
        assert all_answered(answers) and simulator.counts.batches == 1 and bought_again(simulator) == 0
    assert len(calls_by(call_store, "ok")) == len(call_store.calls) == len(QUESTIONS)


@BOTH_LANES
async def test_batch_whose_creation_was_not_answered_and_that_is_not_shown_at_once_is_waited_for(
    lane: str, tmp_path: Path
) -> None:
    with serve(config=SimulatorConfig(batch_unknown_seconds=0.5)) as simulator:
        simulator.store.control_plan = on(is_creation, SimulatorFault.TRUNCATED)
        answers = await ask_batch(simulator, lane, tmp_path, MemoryCallStore(), batch_missing_seconds=20)
        assert all_answered(answers) and simulator.counts.batches == 1


@ONE_LANE
async def test_batch_that_is_lost_is_bought_again_within_the_retries_of_all_runs_and_says_so(
    lane: str, tmp_path: Path
) -> None:
    call_store = MemoryCallStore()
    with serve() as simulator, messages() as said:
        simulator.store.control_plan = on(is_state, ever=SimulatorFault.FORGOTTEN)
        answers = await ask_batch(simulator, lane, tmp_path, call_store, retries=1)
        assert all(isinstance(answer, LaneError) and answer.kind is ErrorKind.LOST for answer in answers)
        assert simulator.counts.batches == 2
        assert [call.cost_usd for call in call_store.calls] == [
            None
        ] * 24  # it may be on the bill: the worst case counts
        lost = [line for line in said if "does not list it" in line]
        assert len(lost) == 2 and "12 of 12 requests are sent again, at most limits.retries (1) times each" in lost[0]
        simulator.store.control_plan = None
        book(tmp_path).tidy()
        for answer in await ask_batch(simulator, lane, tmp_path, call_store, retries=1):
            assert isinstance(answer, LaneError) and "sent in 2 batches" in str(answer) and "raise it" in str(answer)
        assert simulator.counts.batches == 2
        assert all_answered(await ask_batch(simulator, lane, tmp_path, call_store, retries=2))
        assert simulator.counts.batches == 3
    assert {record.status for record in book(tmp_path).records()} == {BatchStatus.COLLECTED}


@ONE_LANE
async def test_batch_whose_submission_breaks_off_before_the_provider_takes_it_is_sent_again(
    lane: str, tmp_path: Path
) -> None:
    call_store = MemoryCallStore()
    with serve() as simulator, messages() as said:
        simulator.store.control_plan = on(is_creation, SimulatorFault.DROPPED, SimulatorFault.DROPPED)
        assert all_answered(await ask_batch(simulator, lane, tmp_path, call_store))
        assert simulator.counts.batches == 1 and len(call_store.calls) == 12
    assert sum("its submission was not answered" in line for line in said) == 2
    void, collected = BatchStatus.VOID, BatchStatus.COLLECTED
    assert [record.status for record in book(tmp_path).records()] == [void, void, collected]


@BOTH_LANES
async def test_results_that_come_in_part_are_fetched_again_before_anything_is_bought(
    lane: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken off, and cut at a line; what other programs take for the end of a line is none."""
    call_store = MemoryCallStore()
    faults = (SimulatorFault.TRUNCATED, SimulatorFault.DROPPED, SimulatorFault.LINES_MISSING)
    with serve() as simulator:
        alter_first(simulator, monkeypatch, note="one\u2028two\x85three")
        simulator.store.control_plan = on(is_results, *faults)
        assert all_answered(await ask_batch(simulator, lane, tmp_path, call_store))
        assert simulator.counts.batches == 1 and len(call_store.calls) == 12


@ONE_LANE
async def test_results_that_always_break_off_stop_the_stage_and_are_bought_again_once_they_are_thrown_away(
    lane: str, tmp_path: Path
) -> None:
    call_store = MemoryCallStore()
    with serve() as simulator:
        simulator.store.control_plan = on(is_results, ever=SimulatorFault.DROPPED)
        answers = await ask_batch(simulator, lane, tmp_path, call_store)
        assert all(isinstance(answer, Halted) and "could not be fetched" in str(answer) for answer in answers)
        [record] = book(tmp_path).records()
        assert call_store.calls == [] and record.status is BatchStatus.ENDED and simulator.counts.batches == 1
        gone = on(lambda path: is_results(path) and "batch_1" in path, ever=SimulatorFault.NOT_FOUND)
        simulator.store.control_plan = gone
        answers = await ask_batch(simulator, lane, tmp_path, call_store)
        assert all(isinstance(answer, Halted) for answer in answers) and simulator.counts.batches == 1
        book(tmp_path).update(replace(record, ended_at="2026-01-01T00:00:00+00:00"))
        assert all_answered(await ask_batch(simulator, lane, tmp_path, call_store))
        assert simulator.counts.batches == 2


@ONE_LANE
async def test_fault_of_ours_stops_the_stage_and_loses_nothing(
    lane: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call_store = MemoryCallStore()
    with serve() as simulator:
        with monkeypatch.context() as broken:
            broken.setattr(StageBatches, "open_results", lambda *_: 1 / 0)
            answers = await ask_batch(simulator, lane, tmp_path, call_store)
        assert all(isinstance(answer, Halted) and "ZeroDivisionError" in str(answer) for answer in answers)
        assert all_answered(await ask_batch(simulator, lane, tmp_path, call_store))
        assert simulator.counts.batches == 1


@ONE_LANE
async def test_line_that_cannot_be_read_costs_its_own_request_alone(lane: str, tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    with serve(scripted(None, SimulatorFault.BAD_LINE, SimulatorFault.NESTED_LINE)) as simulator, messages() as said:
        assert all_answered(await ask_batch(simulator, lane, tmp_path, call_store))
        assert bought_again(simulator) == 2
    assert [record.requests for record in book(tmp_path).records()] == [12, 2]
    assert book(tmp_path).records()[0].problem == "2 of its results are missing or cannot be read"
    errors = calls_by(call_store, "error")
    assert [(call.error_class, call.cost_usd) for call in errors] == [("lost", None)] * 2
    [told] = [one for one in said if "2 of 12 requests are sent again" in one]
    assert "2 of its results are missing or cannot be read" in told


@BOTH_LANES
async def test_batches_of_one_size_whose_replies_were_lost_are_kept_apart(lane: str, tmp_path: Path) -> None:
    """The next run asks in another order, so that the first batch that it looks for is not the first that was sent."""
    call_store = MemoryCallStore()
    with serve(config=SimulatorConfig(batch_seconds=1.5)) as simulator:
        simulator.store.control_plan = on(is_creation, *[SimulatorFault.TRUNCATED] * 4)
        await run_and_drop(simulator, lane, tmp_path, call_store, 4, batch_requests=3)
        for record in book(tmp_path).records():
            book(tmp_path).update(replace(record, status=BatchStatus.INTENDED, provider_batch_id=None))
        answers = await ask_batch(simulator, lane, tmp_path, call_store, QUESTIONS[::-1], batch_missing_seconds=5)
        assert all_answered(answers)
        assert simulator.counts.batches == 4 and bought_again(simulator) == 0
        assert answers[::-1] == await ask_live(simulator, lane)
