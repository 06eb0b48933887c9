"""Retries, recalled answers, limits: what happens around a request, whichever lane carries it."""

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.chain import LONGEST_BACKOFF_SECONDS, retry_wait_seconds
from demur.lanes.engine import open_models
from demur.lanes.providers.provider_errors import retry_after_seconds
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.faults import SimulatorFault, always, scripted
from demur.lanes.simulator.server import serve
from demur.lanes.spec import ModelLimits
from demur.programs.call_scope import CallRecord, CallScope, call_scope
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable, ProgramError
from demur.programs.model import Model
from demur.programs.respondent import Respondent, Response, respond
from tests.lanes.asking import KEYS, PASSAGES, QUESTION, MemoryCallStore, ask, ask_once, judge_once, spec


async def test_ledger_retries_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demur.lanes.chain.FIRST_BACKOFF_SECONDS", 0.01)
    call_store = MemoryCallStore()
    with serve(always(SimulatorFault.SERVER_ERROR)) as provider, pytest.raises(LaneError, match="HTTP 500"):
        await ask_once(provider, "openai", call_store, limits={"retries": 3})
    assert [call.attempt for call in call_store.calls] == [1, 2, 3, 4] and len(provider.asked) == 4


async def test_ledger_asked_to_wait_longer_than_retries_may_take_gives_the_model_up() -> None:
    call_store = MemoryCallStore()
    with serve(always(SimulatorFault.RATE_LIMITED), retry_after="3600") as provider:
        async with open_models([spec(provider, "anthropic")], "respondent", KEYS) as models:
            for _ in range(2):
                with pytest.raises(ModelUnavailable, match="allows no more requests now: run again in 1 h"):
                    await ask(models["served"], call_store)
    assert len(call_store.calls) == 1


@pytest.mark.parametrize("lane", ["openai", "anthropic", "litellm"])
async def test_ledger_asked_to_wait_a_moment_waits_that_and_no_backoff(
    lane: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demur.lanes.chain.FIRST_BACKOFF_SECONDS", 600)
    call_store = MemoryCallStore()
    with serve(scripted(SimulatorFault.RATE_LIMITED), retry_after="1") as provider:
        await ask_once(provider, lane, call_store)
    first, second = (datetime.fromisoformat(call.started_at) for call in call_store.calls)
    assert second - first >= timedelta(seconds=1)


async def test_ledger_killed_between_reply_and_repair_asks_only_for_the_repair() -> None:
    """Both requests of the first run are known by then, or the first alone: either way nothing is asked twice."""
    first, again = MemoryCallStore(), MemoryCallStore()
    with serve(scripted(SimulatorFault.PROSE)) as provider:
        judged = await judge_once(provider, "openai", call_store=first)
        assert len(provider.asked) == 2
        recalled = await judge_once(provider, "openai", call_store=again, known=first.known()[:1])
    assert recalled == judged
    assert len(provider.asked) == 3 and provider.asked[2].digest == provider.asked[1].digest


async def test_ledger_same_request_of_a_unit_at_the_same_time_is_asked_once_and_recalled_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("demur.lanes.engine.COALESCE_SECONDS", 1.0)
    first, again = MemoryCallStore(), MemoryCallStore()
    with serve(latency_seconds=0.05) as provider:
        async with open_models([spec(provider, "openai")], "respondent", KEYS) as models:
            with call_scope(CallScope("round-1", "respond", "unit-1", first)):
                answers = await asyncio.gather(*(_respond(models["served"]) for _ in range(5)))
                later = await _respond(models["served"])
            assert len(set(answers)) == 1 and len(first.calls) == 2  # one after the other are two requests
            with call_scope(CallScope("round-1", "respond", "unit-1", again, first.known()[:1])):
                recalled = await asyncio.gather(*(_respond(models["served"]) for _ in range(5)))
    assert {*recalled, later} == set(answers) and again.calls == [] and len(provider.asked) == 2


async def test_ledger_merged_request_whose_first_asker_is_cancelled_is_asked_by_the_next() -> None:
    call_store = MemoryCallStore()
    with serve(latency_seconds=600) as provider:
        async with open_models([spec(provider, "openai")], "respondent", KEYS) as models:
            with call_scope(CallScope("round-1", "respond", "unit-1", call_store)):
                impatient = asyncio.create_task(_respond(models["served"]))
                while not provider.asked:
                    await asyncio.sleep(0.01)
                patient = asyncio.create_task(_respond(models["served"]))
                await asyncio.sleep(0.2)  # for DSPy to prepare the second in its thread
                assert len(provider.asked) == 1
                provider.config = SimulatorConfig()
                impatient.cancel()
                assert "1874" in (await patient).text
    assert len(call_store.calls) == 1 and len(provider.asked) == 2


def _respond(model: Model) -> Coroutine[Any, Any, Response]:
    return respond(Respondent(), model, QUESTION, PASSAGES)


async def test_ledger_concurrency_is_never_exceeded() -> None:
    call_store = MemoryCallStore()
    with serve(latency_seconds=0.05) as provider:
        async with open_models([spec(provider, "openai", limits={"concurrency": 3})], "respondent", KEYS) as models:
            await asyncio.gather(*(ask(models["served"], call_store, unit=f"unit-{n}") for n in range(20)))
    assert provider.most_at_once == 3
    assert len(call_store.calls) == 20 and max(call.queue_seconds for call in call_store.calls) > 0


async def test_ledger_answer_that_cannot_be_written_down_is_not_used() -> None:
    class FullDisk:
        async def record(self, call: CallRecord) -> None:
            raise OSError(28, "No space left on device")

    with serve() as provider:
        async with open_models([spec(provider, "openai")], "respondent", KEYS) as models:
            with pytest.raises(OSError, match="No space left"):
                await ask(models["served"], FullDisk())  # type: ignore[arg-type]


async def test_ledger_missing_key_is_an_error_before_anything_is_asked() -> None:
    wanted = "model 'served' needs a key: set the environment variable PLANTED_KEY"
    with serve() as provider, pytest.raises(ProgramError, match=wanted):
        async with open_models([spec(provider, "openai")], "respondent", {}):
            pass
    assert provider.asked == []


@given(
    attempts=st.integers(1, 30),
    spent=st.floats(0, 500),
    asked=st.none() | st.floats(0, 1000),
    kind=st.sampled_from(ErrorKind),
)
def test_retry_wait_stays_within_its_bounds(attempts: int, spent: float, asked: float | None, kind: ErrorKind) -> None:
    limits = ModelLimits(retries=10, retry_seconds=300)
    error = LaneError("no", kind=kind, retry_after_seconds=asked)
    wait = retry_wait_seconds(error, attempts, spent, limits)
    if not kind.retryable or attempts > 10:
        assert wait is None
    elif wait is not None:
        assert wait <= 300 - spent
        assert asked <= wait <= 1.1 * asked if asked is not None else 0.25 <= wait <= LONGEST_BACKOFF_SECONDS
    elif asked is not None:
        assert asked > 300 - spent


def test_retry_after_is_read_as_seconds_milliseconds_or_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert retry_after_seconds({"retry-after": "12.5"}) == 12.5
    later = datetime.now(UTC) + timedelta(seconds=90)
    for said in (f"{later.timestamp():.0f}", f"{later.timestamp() * 1000:.0f}", later.isoformat()):
        assert 60 < (retry_after_seconds({"retry-after": said}) or 0) <= 91, said
    for said in ('"5"', "5, 10", "5; of the day"):
        assert retry_after_seconds({"retry-after": said}) == 5
    assert retry_after_seconds({"retry-after-ms": "250", "retry-after": "1"}) == 0.25
    assert 90 < (retry_after_seconds({"retry-after": soon}) or 0) <= 100
    for said in ("", "soon", "nan", "inf", "-", "0", "-3", "Wed, 21 Oct 2015 07:28:00 GMT"):
        assert retry_after_seconds({"retry-after": said}) is None
    assert retry_after_seconds({}) is None
