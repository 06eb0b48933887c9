"""A journal's promise: what `record` has returned for is kept, whatever happens around it."""

import asyncio
import errno
import gzip
import json
import subprocess
import sys
from concurrent.futures import Future
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demur.engine.state.database import Rows, Values
from demur.engine.state.journal import JournalError
from demur.engine.state.shared import SharedState, shared_state
from demur.programs.journal import CallRecord
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.journals import fold_journals

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


def ids_of(state: SharedState) -> list[str]:
    """The calls of the journal, oldest first."""
    return [one.call_id for calls in state.answered(*SHARD).values() for one in calls]


@pytest.fixture
def state(home: Home, address: str | None) -> SharedState:
    return shared_state(home)


async def test_journal_call_is_kept_when_record_returns(state: SharedState, home: Home) -> None:
    async with state.journal(*SHARD) as journal:
        for number in range(3):
            await journal.record(call(number))
            assert ids_of(state) == [f"c{n}" for n in range(number + 1)]
    with pytest.raises(OSError, match="the journal is closed"):
        await journal.record(call(3))
    with writing(home, wait_seconds=1) as con, state.folding(*SHARD[:2]):
        assert fold_journals(con, home, *SHARD[:2]).faults == []
        found = con.execute("SELECT * FROM calls WHERE call_id = 'c0'")
        row = dict(zip((column[0] for column in found.description), *found.fetchall(), strict=True))
    with gzip.open(home.archived_journal(*SHARD[:2], row.pop("journal"))) as lines:
        assert json.loads(lines.readline()) == asdict(CALL)
    elsewhere = {"started_at", "prompt"}
    assert {name: row[name] for name in row.keys() - elsewhere} == {
        name: value for name, value in asdict(CALL).items() if name not in elsewhere
    }


async def test_journal_writes_before_it_returns_and_many_calls_at_once(
    state: SharedState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept from returning by a write that takes long, other calls gather; all of them go with the next one."""
    held: Future[Rows] = Future()
    writes: list[Values] = []
    submit = state.database.submit_write

    def slow(name: str, values: Values) -> "Future[Rows]":
        writes.append(values)
        return submit(name, values) if len(writes) > 1 else held

    monkeypatch.setattr(state.database, "submit_write", slow)
    async with state.journal(*SHARD) as journal:
        waiting = [asyncio.create_task(journal.record(call(number))) for number in range(200)]
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in waiting)
        submit("record", writes[0]).result(60)
        held.set_result([])
        await asyncio.gather(*waiting)
    assert len(ids_of(state)) == len(set(ids_of(state))) == 200
    assert len(writes) <= 3


async def test_journal_nothing_recorded_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    async with shared_state(Home(tmp_path)).journal(*SHARD):
        pass
    assert list(tmp_path.iterdir()) == []


async def test_journal_waiter_that_gives_up_loses_no_line(state: SharedState) -> None:
    async with state.journal(*SHARD) as journal:
        waiting = [asyncio.create_task(journal.record(call(number))) for number in range(20)]
        await asyncio.sleep(0)
        for task in waiting[::2]:
            task.cancel()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [isinstance(result, asyncio.CancelledError) for result in ended] == [True, False] * 10
    assert ids_of(state) == [f"c{number}" for number in range(20)]


async def test_journal_cancelled_while_closing_still_writes_what_it_holds(state: SharedState) -> None:
    async def work() -> None:
        async with state.journal(*SHARD) as journal:
            for number in range(50):
                asyncio.create_task(journal.record(call(number)))  # noqa: RUF006
            await asyncio.sleep(0)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(ids_of(state)) == 50


async def test_journal_disk_error_reaches_every_waiter_and_everybody_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    path = Home(tmp_path).state
    path.mkdir()
    async with shared_state(Home(tmp_path)).journal(*SHARD) as journal:
        ended = await asyncio.gather(*(journal.record(call(n)) for n in range(10)), return_exceptions=True)
        assert all(isinstance(result, JournalError) and result.errno == errno.EISDIR for result in ended)
        assert len({id(result) for result in ended}) == 10
        path.rmdir()
        with pytest.raises(OSError, match=r"Is a directory; the journal takes no more: .*state\.db"):
            await journal.record(call(11))


RECORDING = """
import asyncio, sys
from pathlib import Path
from demur.engine.state.shared import shared_state
from demur.warehouse.home import Home
from tests.engine.test_journal import SHARD, call

async def one(journal, number):
    await journal.record(call(number))
    print(number, flush=True)

async def main(together):
    async with shared_state(Home(Path(sys.argv[1]))).journal(*SHARD) as journal:
        for start in range(0, 1_000_000, together):
            await asyncio.gather(*(one(journal, n) for n in range(start, start + together)))

asyncio.run(main(int(sys.argv[2])))
"""


def recording(home: Home, together: int, before: str = "", **options: Any) -> "subprocess.Popen[str]":
    """Start a process that records calls without end, so many at once, and prints each that is durable."""
    words = [sys.executable, "-B", "-c", before + RECORDING, str(home.root), str(together)]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, **options)


@pytest.fixture
def killed(home: Home, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, bytes]:
    """File and write-ahead log of the state, as a process that was killed has left them."""
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
def test_journal_torn_write_is_recovered_to_the_last_commit(
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
        async with state.journal(*SHARD) as journal:
            await journal.record(call(999))

    asyncio.run(resumed())
    assert ids_of(state) == [*found, "c999"]
    state.database.close()
