"""The promise of the store of calls: what `record` has returned for is kept, whatever happens around it."""

import asyncio
import errno
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demur.engine.loading import load_round_calls
from demur.engine.state.calls import CallStoreError, SentPrompt
from demur.engine.state.database import Transaction
from demur.engine.state.shared import SharedState, shared_state
from demur.programs.call_scope import CallRecord, SentPrompts
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from tests.flows.messages import messages

ROOT = Path(__file__).parents[2]

CALL = CallRecord(
    call_id="c0",
    round_id="r",
    stage="respond",
    unit_id="u0",
    role="respondent",
    model="m",
    provider="rules",
    provider_model="respondent/always-refuses",
    fingerprint="f",
    program="AnswerFromPassage",
    request_digest="d0",
    attempt=1,
    status="ok",
    error_class=None,
    error=None,
    reply="An answer\nof two lines \u2028 with \u00e9.",
    finish_reason="stop",
    input_tokens=10,
    output_tokens=2,
    cached_tokens=None,
    reasoning_tokens=None,
    cost_usd=0.0,
    latency_seconds=0.5,
    queue_seconds=0.0,
    started_at="2026-11-20T12:00:00+00:00",
)


def call(number: int) -> CallRecord:
    return replace(CALL, call_id=f"c{number}", unit_id=f"u{number}")


SHARD = ("r", "respond", "000000-x")


def ids_of(state: SharedState, round_id: str = "r") -> list[str]:
    """The stored calls of a round, by their numbers."""
    found = [str(one["call_id"]) for calls in state.calls_beyond(round_id, {}) for one in calls]
    return sorted(found, key=lambda one: int(one[1:]))


def put(state: SharedState, *calls: dict[str, Any], shard: str = "s1") -> None:
    """Store calls that are given as rows."""
    for one in calls:
        place = state._of(one["round_id"], one["stage"], shard)
        of_call = {"call_id": one["call_id"], "unit_id": one["unit_id"], "answered": one["status"] == "ok"}
        record = json.dumps({name: value for name, value in one.items() if name != "prompt"})
        state.database.write("record", {**place, **of_call, "record": record, "prompt": None, "sent_usd": None})


@pytest.fixture
def state(home: Home, address: str | None) -> SharedState:
    return shared_state(home)


async def test_call_is_kept_when_record_returns_and_loaded_once(state: SharedState, home: Home) -> None:
    async with state.calls(*SHARD) as calls:
        for number in range(3):
            await calls.record(call(number))
            assert ids_of(state) == [f"c{n}" for n in range(number + 1)]
    with pytest.raises(OSError, match="the store of calls is closed"):
        await calls.record(call(3))
    with writing(home, wait_seconds=1) as con:
        load_round_calls(con, state, "r", [(SHARD[1], "another")])
        assert con.execute("SELECT count(*) FROM calls").fetchall() == [(0,)]
        for _ in range(2):
            load_round_calls(con, state, "r", [SHARD[1:]])
            assert con.execute("SELECT count(*) FROM calls").fetchall() == [(3,)]
        found = con.execute("SELECT * FROM calls WHERE call_id = 'c0'")
        row = dict(zip((column[0] for column in found.description), *found.fetchall(), strict=True))
    assert row.pop("shard") == SHARD[2]
    elsewhere = {"started_at", "prompt"}
    assert {name: row[name] for name in row.keys() - elsewhere} == {
        name: value for name, value in asdict(CALL).items() if name not in elsewhere
    }


def test_stored_call_that_is_no_row_is_named_and_the_others_are_loaded(state: SharedState, home: Home) -> None:
    rows = [asdict(call(number)) for number in range(3)]
    rows[1]["status"] = "fine"
    put(state, *rows)
    with messages() as told, writing(home, wait_seconds=1) as con:
        load_round_calls(con, state, "r")
        assert con.execute("SELECT call_id FROM calls ORDER BY 1").fetchall() == [("c0",), ("c2",)]
    assert any("call c1 is no row of the table calls" in one for one in told)


async def test_answers_of_a_unit_are_its_successful_calls_oldest_first(state: SharedState) -> None:
    later = "2026-11-20T12:00:01+00:00"
    async with state.calls(*SHARD) as calls:
        await calls.record(replace(call(1), unit_id="u", started_at=later, reply="second"))
        await calls.record(replace(call(2), unit_id="u", logprobs='[["Yes", -0.5]]', output_tokens=None))
        await calls.record(replace(call(3), unit_id="u", status="error", error_class="rate_limit", reply=None))
        await calls.record(call(4))
    found = state.known(["u", "u4", "u5"])
    assert [one.call_id for one in found["u"].answers] == ["c2", "c1"] and found.keys() == {"u", "u4"}
    first = found["u"].answers[0]
    assert (first.reply.logprobs, first.reply.output_tokens) == ((("Yes", -0.5),), None)
    assert (first.request_digest, first.answerer) == ("d0", ("respondent", "m", "f"))


async def test_prompts_of_calls_are_those_that_were_sent_and_each_text_is_kept_once(state: SharedState) -> None:
    sent, said = SentPrompts(), "Task: say which \ud7ff \x00 of two. " * 100
    turns = (("user", "{}"), ("assistant", "The first."), ("user", "Correct it."))

    def prompted(number: int, *of: tuple[str, str], wanted: str | None = None) -> CallRecord:
        return replace(call(number), prompt=sent.of(said, of, wanted, lambda text: text))

    async with state.calls(*SHARD) as calls:
        for one in (prompted(1, turns[0]), prompted(2, *turns, wanted="{}"), call(3)):
            await calls.record(one)
    assert state.prompt(*SHARD, "c1") == SentPrompt(said, turns[:1], None)
    assert state.prompt(*SHARD, "c2") == SentPrompt(said, turns, "{}")
    assert state.prompt(*SHARD, "c3") is None
    assert len(state.database.read("rows_texts", {"home": state.home_id})) == 4
    state.forget_calls("r")
    assert state.prompt(*SHARD, "c1") is None and ids_of(state) == []


async def test_store_of_calls_writes_before_it_returns_and_many_calls_at_once(
    state: SharedState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept from returning by a write that takes long, other calls gather; all of them go with the next one."""
    held: Future[object] = Future()
    writes: list[Callable[[Transaction], object]] = []
    submit = state.database.submit

    def slow(work: Callable[[Transaction], object], **options: Any) -> "Future[object]":
        writes.append(work)
        return submit(work, **options) if len(writes) > 1 else held

    monkeypatch.setattr(state.database, "submit", slow)
    async with state.calls(*SHARD) as calls:
        waiting = [asyncio.create_task(calls.record(call(number))) for number in range(200)]
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in waiting)
        submit(writes[0]).result(60)
        held.set_result(None)
        await asyncio.gather(*waiting)
    assert len(ids_of(state)) == len(set(ids_of(state))) == 200
    assert len(writes) <= 3


async def test_call_store_waiter_that_gives_up_loses_no_line(state: SharedState) -> None:
    async with state.calls(*SHARD) as calls:
        waiting = [asyncio.create_task(calls.record(call(number))) for number in range(20)]
        await asyncio.sleep(0)
        for task in waiting[::2]:
            task.cancel()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [isinstance(result, asyncio.CancelledError) for result in ended] == [True, False] * 10
    assert ids_of(state) == [f"c{number}" for number in range(20)]


async def test_call_store_cancelled_while_closing_still_writes_what_it_holds(state: SharedState) -> None:
    async def work() -> None:
        async with state.calls(*SHARD) as calls:
            for number in range(50):
                asyncio.create_task(calls.record(call(number)))  # noqa: RUF006
            await asyncio.sleep(0)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(ids_of(state)) == 50


async def test_call_store_disk_error_reaches_every_waiter_and_everybody_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    path = Home(tmp_path).state
    path.mkdir()
    async with shared_state(Home(tmp_path)).calls(*SHARD) as calls:
        ended = await asyncio.gather(*(calls.record(call(n)) for n in range(10)), return_exceptions=True)
        assert all(isinstance(result, CallStoreError) and result.errno == errno.EISDIR for result in ended)
        assert len({id(result) for result in ended}) == 10
        path.rmdir()
        with pytest.raises(OSError, match=r"Is a directory; no more calls are stored: .*state\.db"):
            await calls.record(call(11))


RECORDING = """
import asyncio, sys
from pathlib import Path
from demur.engine.state.shared import shared_state
from demur.warehouse.home import Home
from tests.engine.test_calls import SHARD, call

async def one(calls, number):
    await calls.record(call(number))
    print(number, flush=True)

async def main(together):
    async with shared_state(Home(Path(sys.argv[1]))).calls(*SHARD) as calls:
        for start in range(0, 1_000_000, together):
            await asyncio.gather(*(one(calls, n) for n in range(start, start + together)))

asyncio.run(main(int(sys.argv[2])))
"""


def recording(home: Home, together: int, before: str = "", **options: Any) -> "subprocess.Popen[str]":
    """Start a process that records calls without end, so many at once, and prints each that is durable."""
    words = [sys.executable, "-B", "-c", before + RECORDING, str(home.root), str(together)]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, **options)


@pytest.fixture
def killed(home: Home, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, bytes]:
    """File and write-ahead log of the store, as a process that was killed has left them."""
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    process = recording(home, 1)
    assert process.stdout is not None
    for _ in range(40):
        process.stdout.readline()
    process.kill()
    process.wait()
    return home.state.read_bytes(), home.state.with_name("state.db-wal").read_bytes()


@given(share=st.floats(0, 1), garbled=st.binary(max_size=9000))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_call_store_torn_write_is_recovered_to_the_last_commit(
    share: float, garbled: bytes, killed: tuple[bytes, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file, log = killed
    home = Home(tmp_path_factory.mktemp("torn"))
    cut = int(len(log) * share)
    home.state.write_bytes(file)
    home.state.with_name("state.db-wal").write_bytes(log[:cut] + garbled)
    state = shared_state(home)
    found = ids_of(state)
    assert found == [f"c{number}" for number in range(len(found))], "calls up to one, in their order, and whole"
    assert cut < len(log) or len(found) >= 40

    async def resumed() -> None:
        async with state.calls(*SHARD) as calls:
            await calls.record(call(999))

    asyncio.run(resumed())
    assert ids_of(state) == [*found, "c999"]
    state.database.close()
