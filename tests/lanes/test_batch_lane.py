"""Questions that are asked in batches, through the real SDKs, at the simulator."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from demur.lanes.batch.endpoint import cancel_batch, read_line, spec_of
from demur.lanes.engine import open_models, open_probe
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.faults import SimulatorFault, always, scripted
from demur.lanes.simulator.server import serve
from demur.lanes.spec import Mode
from demur.programs.batch_record import BatchStatus
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.errors import Halted, LaneError
from demur.programs.judge import Judge, judge
from demur.programs.model import Model
from tests.lanes.asking import KEYS, PASSAGES, QUESTION, MemoryCallStore, spec
from tests.lanes.batched import (
    BOTH_LANES,
    LANES,
    ONE_LANE,
    QUESTIONS,
    QUICK,
    ask_all,
    ask_batch,
    ask_live,
    batch_spec,
    book,
    calls_by,
    run_and_drop,
)


@BOTH_LANES
async def test_batch_answers_are_the_live_ones_in_batches_of_the_most_requests_at_half_the_price(
    lane: str, tmp_path: Path
) -> None:
    call_store = MemoryCallStore()
    with serve() as simulator:
        live = await ask_live(simulator, lane)
        answers = await ask_batch(simulator, lane, tmp_path, call_store, batch_requests=10)
        assert simulator.counts.batches == 2 and simulator.counts.in_batches == len(QUESTIONS)
    assert answers == live
    records = book(tmp_path).records()
    assert [(one.requests, one.done, one.failed) for one in records] == [(10, 10, 0), (2, 2, 0)]
    assert {one.status for one in records} == {BatchStatus.COLLECTED}
    assert {call.batch_id for call in call_store.calls} == {one.batch_id for one in records}
    for call in call_store.calls:
        assert (call.status, call.attempt, call.input_usd_per_million) == ("ok", 1, 1.0)
        assert call.cost_usd and call.input_tokens and call.output_tokens


@ONE_LANE
async def test_batch_spoilt_answers_are_repaired_in_a_following_batch(lane: str, tmp_path: Path) -> None:
    async def judged(model: Model, unit: str) -> object:
        scope = CallScope("round-1", "respond", unit, MemoryCallStore(), batches=book(tmp_path))
        with call_scope(scope):
            return (await judge(Judge(), model, QUESTION, ("1874",), "In 1874.", PASSAGES)).correct

    with serve(scripted(*[SimulatorFault.PROSE] * 3)) as simulator:
        asked = batch_spec(simulator, lane).model_copy(update={"model": "judge/patterns"})
        async with open_models([asked], "judge", KEYS) as models:
            found = await asyncio.gather(*(judged(models["served"], f"unit-{number}") for number in range(3)))
    assert found == [True] * 3
    assert [record.requests for record in book(tmp_path).records()] == [3, 3]


@BOTH_LANES
async def test_batch_failed_and_expired_entries_are_asked_again_in_the_next_batch(lane: str, tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    plan = scripted(
        SimulatorFault.SERVER_ERROR, SimulatorFault.DROPPED, SimulatorFault.OVERLOADED, SimulatorFault.RATE_LIMITED
    )
    with serve(plan) as simulator:
        answers = await ask_batch(simulator, lane, tmp_path, call_store)
        assert all(isinstance(answer, str) for answer in answers)
    assert [record.requests for record in book(tmp_path).records()] == [12, 4]
    errors = calls_by(call_store, "error")
    assert sorted(str(call.error_class) for call in errors) == ["expired", "overloaded", "rate_limit", "server"]
    assert all(call.cost_usd == 0 and call.batch_id is None for call in errors)
    assert len(calls_by(call_store, "ok")) == 12


@BOTH_LANES
async def test_batch_entries_that_cannot_be_mended_fail_their_unit_alone(lane: str, tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    with serve(scripted(SimulatorFault.BAD_REQUEST, SimulatorFault.TOO_LONG, SimulatorFault.REFUSAL)) as simulator:
        answers = await ask_batch(simulator, lane, tmp_path, call_store)
    failed = [answer.kind for answer in answers if isinstance(answer, LaneError)]
    assert sorted(failed) == ["context_length", "request"]
    assert sum(isinstance(answer, str) for answer in answers) == len(QUESTIONS) - 2
    errors = calls_by(call_store, "error")
    assert sorted(str(error.error_class) for error in errors) == ["context_length", "refusal", "request"]
    assert all((error.cost_usd or 0) >= 0 for error in errors)
    assert len(book(tmp_path).records()) == 1


@BOTH_LANES
async def test_batch_that_is_cancelled_keeps_what_was_done_and_fails_the_rest(lane: str, tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    with serve(config=SimulatorConfig(batch_seconds=24)) as simulator:
        async with open_models([batch_spec(simulator, lane)], "respondent", KEYS) as models:
            asking = asyncio.create_task(ask_all(models["served"], tmp_path, call_store))
            while not (found := book(tmp_path).records()) or found[0].provider_batch_id is None:
                await asyncio.sleep(0.05)
            [stored] = simulator.store.batches.values()
            while len(stored.results) < 1:
                await asyncio.sleep(0.05)
            await cancel_batch(found[0], spec_of(found[0]), KEYS)
            answers = await asking
    done = [answer for answer in answers if isinstance(answer, str)]
    rest = [answer for answer in answers if isinstance(answer, LaneError)]
    assert 1 <= len(done) < 12 and len(done) + len(rest) == 12
    assert {error.kind for error in rest} == {"cancelled"}
    assert len(book(tmp_path).records()) == 1


@pytest.mark.parametrize(("lane", "forgotten"), [("openai", False), *((lane, True) for lane in LANES)])
async def test_batch_of_a_run_that_died_is_collected_by_the_next_and_not_sent_again(
    lane: str, forgotten: bool, tmp_path: Path
) -> None:
    """`forgotten`: it died between sending the batch and writing down the provider's name for it."""
    call_store = MemoryCallStore()
    with serve(config=SimulatorConfig(batch_seconds=1)) as simulator:
        await run_and_drop(simulator, lane, tmp_path, call_store)
        assert call_store.calls == []
        [record] = book(tmp_path).records()
        if forgotten:
            book(tmp_path).update(replace(record, status=BatchStatus.INTENDED, provider_batch_id=None))
        answers = await ask_batch(simulator, lane, tmp_path, call_store)
        assert simulator.counts.batches == 1
        assert simulator.counts.summary()["answered_again"] == 0
        assert answers == await ask_live(simulator, lane)
    assert {call.batch_id for call in call_store.calls} == {record.batch_id}


@ONE_LANE
async def test_batch_that_never_reached_the_provider_is_sent_by_the_next_run(lane: str, tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    with serve() as simulator:
        simulator.store.control_plan = always(SimulatorFault.SERVER_ERROR)
        answers = await ask_batch(simulator, lane, tmp_path, call_store, retries=0)
        assert all(isinstance(answer, Halted) and "could not be submitted" in str(answer) for answer in answers)
        assert call_store.calls == [] and not simulator.store.batches
        simulator.store.control_plan = None
        answers = await ask_batch(simulator, lane, tmp_path, call_store)
        assert all(isinstance(answer, str) for answer in answers)
    assert [record.status for record in book(tmp_path).records()] == [BatchStatus.VOID, BatchStatus.COLLECTED]


@ONE_LANE
@pytest.mark.parametrize("moments", [0, 1])
async def test_batch_that_gathers_while_another_process_takes_over_is_not_sent(
    lane: str, moments: int, tmp_path: Path
) -> None:
    """`moments`: how often the lock is still held once the batch is complete."""
    held = iter([True] * (len(QUESTIONS) + moments))

    async def confirm() -> None:
        if not next(held, False):
            raise Halted("another process has taken over")

    with serve() as simulator:
        async with open_models([batch_spec(simulator, lane)], "respondent", KEYS) as models:
            answers = await ask_all(models["served"], tmp_path, MemoryCallStore(), confirm=confirm)
        assert all(isinstance(answer, Halted) and "taken over" in str(answer) for answer in answers)
        assert not simulator.store.batches and len(book(tmp_path).records()) == moments


@ONE_LANE
async def test_batch_that_takes_too_long_stops_the_stage_and_stays_for_the_next_run(lane: str, tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    with serve(config=SimulatorConfig(batch_seconds=3_600)) as simulator:
        answers = await ask_batch(simulator, lane, tmp_path, call_store, batch_wait_seconds=0.1)
        assert all(isinstance(answer, Halted) and "batch_wait_seconds" in str(answer) for answer in answers)
        [stored] = simulator.store.batches.values()
        stored.cancelled = True
        while not stored.ended:
            await asyncio.sleep(0.02)
    assert call_store.calls == [] and [record.status for record in book(tmp_path).records()] == [BatchStatus.RUNNING]


@BOTH_LANES
async def test_probe_of_a_batch_model_is_asked_live_at_live_prices(lane: str) -> None:
    call_store = MemoryCallStore()
    with serve() as simulator, call_scope(CallScope("round-1", "probe", "unit-1", call_store)):
        await open_probe(batch_spec(simulator, lane), KEYS)()
        assert simulator.counts.batches == 0
    assert [call.input_usd_per_million for call in call_store.calls] == [2.0]


@BOTH_LANES
async def test_batch_entry_is_what_a_live_request_sends(lane: str, tmp_path: Path) -> None:
    """Parameters, wanted shape, marks for the cache: all that decides an answer or its price."""
    with serve() as simulator:
        wanted = spec(simulator, lane, "judge/patterns", limits=QUICK)
        for mode in ("live", "batch"):
            models = [wanted.model_copy(update={"mode": Mode(mode)})]
            async with open_models(models, "judge", KEYS) as opened:
                with call_scope(CallScope("round-1", "judge", "unit-1", MemoryCallStore(), batches=book(tmp_path))):
                    await judge(Judge(), opened["served"], "When?", ("1874",), "In 1874.", PASSAGES)
        live, batched = (asked.body for asked in simulator.asked)
    assert live == batched


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'{"result": 1}', b'{"custom_id": "a", "result": {}}', b"null"])
def test_batch_line_that_is_no_result_may_be_fetched_again(line: bytes) -> None:
    with pytest.raises(LaneError, match="a line of the results is unreadable") as caught:
        read_line(line, lambda content: bool(content["result"]["type"]))
    assert caught.value.retryable
