"""A journal's promise: what `record` has returned for is on the disk, whatever happens around it."""

import asyncio
import errno
import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.engine.journal import JournalError, ShardJournal
from demur.programs.journal import CallRecord
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.journals import fold_journals
from demur.warehouse.schemas.operations import Calls

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


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def ids(path: Path) -> list[object]:
    return [line["call_id"] for line in lines(path)]


async def test_journal_line_is_in_the_file_when_record_returns(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "shard.jsonl"
    async with ShardJournal(path) as journal:
        for number in range(3):
            await journal.record(call(number))
            assert ids(path) == [f"c{n}" for n in range(number + 1)]
    assert lines(path)[0] == asdict(CALL)


async def test_journal_syncs_before_it_returns_and_writes_many_calls_with_one_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept from returning by a held sync, other calls gather; all of them go with the next one."""
    path = tmp_path / "shard.jsonl"
    syncs: list[int] = []
    fsync, held = os.fsync, asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(descriptor: int) -> None:
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            asyncio.run_coroutine_threadsafe(held.wait(), loop).result(10)
            syncs.append(len(path.read_bytes().splitlines()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    async with ShardJournal(path) as journal:
        waiting = [asyncio.create_task(journal.record(call(number))) for number in range(200)]
        while not path.exists() or not path.stat().st_size:
            await asyncio.sleep(0.001)
        assert not any(task.done() for task in waiting)
        held.set()
        await asyncio.gather(*waiting)
    assert len(ids(path)) == len(set(ids(path))) == 200
    assert syncs[-1] == 200 and len(syncs) <= 3


async def test_journal_nothing_recorded_leaves_no_file(tmp_path: Path) -> None:
    async with ShardJournal(tmp_path / "shard.jsonl"):
        pass
    assert list(tmp_path.iterdir()) == []


async def test_journal_closing_waits_for_what_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "shard.jsonl"
    async with ShardJournal(path) as journal:
        waiting = [asyncio.create_task(journal.record(call(number))) for number in range(50)]
        await asyncio.sleep(0)
    assert len(ids(path)) == 50
    await asyncio.gather(*waiting)


async def test_journal_waiter_that_gives_up_loses_no_line(tmp_path: Path) -> None:
    path = tmp_path / "shard.jsonl"
    async with ShardJournal(path) as journal:
        waiting = [asyncio.create_task(journal.record(call(number))) for number in range(20)]
        await asyncio.sleep(0)
        for task in waiting[::2]:
            task.cancel()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [isinstance(result, asyncio.CancelledError) for result in ended] == [True, False] * 10
    assert ids(path) == [f"c{number}" for number in range(20)]


async def test_journal_cancelled_while_closing_still_writes_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "shard.jsonl"

    async def work() -> None:
        async with ShardJournal(path) as journal:
            for number in range(50):
                asyncio.create_task(journal.record(call(number)))  # noqa: RUF006
            await asyncio.sleep(0)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(ids(path)) == 50


async def test_journal_closed_takes_nothing_more(tmp_path: Path) -> None:
    async with ShardJournal(tmp_path / "shard.jsonl") as journal:
        await journal.record(call(0))
    with pytest.raises(OSError, match="the journal is closed"):
        await journal.record(call(1))


async def test_journal_disk_error_reaches_every_waiter_and_everybody_after(tmp_path: Path) -> None:
    path = tmp_path / "shard.jsonl"
    path.mkdir()
    async with ShardJournal(path) as journal:
        ended = await asyncio.gather(*(journal.record(call(n)) for n in range(10)), return_exceptions=True)
        assert all(isinstance(result, JournalError) and result.errno == errno.EISDIR for result in ended)
        assert len({id(result) for result in ended}) == 10
        path.rmdir()
        with pytest.raises(OSError, match=r"Is a directory; the journal takes no more: .*shard\.jsonl"):
            await journal.record(call(11))


def _full_disk(path: Path, bytes_left: int) -> list[str]:
    """What becomes of ten calls in a process whose files may grow no further than that."""
    script = (
        "import asyncio, signal, sys\n"
        "from pathlib import Path\n"
        "from demur.engine.journal import ShardJournal\n"
        "from tests.engine.test_journal import call\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "async def main():\n"
        "    async with ShardJournal(Path(sys.argv[1])) as journal:\n"
        "        for number in range(10):\n"
        "            try:\n"
        "                await journal.record(call(number))\n"
        "                print('durable')\n"
        "            except OSError as exc:\n"
        "                print('refused', exc.errno)\n"
        "asyncio.run(main())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-B", "-c", script, str(path)],  # a cut-off cache of a module would outlive the limit
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, bytes_left)),
    )
    return ran.stdout.split("\n")[:-1]


def test_journal_full_disk_keeps_what_was_durable_and_mixes_no_lines(tmp_path: Path) -> None:
    """The disk fills up in the middle of a line; the next run begins behind the last whole one."""
    path = tmp_path / "shard.jsonl"
    size = len(json.dumps(asdict(CALL), ensure_ascii=False).encode()) + 1
    said = _full_disk(path, 3 * size + size // 2)
    assert said == ["durable"] * 3 + ["refused 27"] + ["refused 27"] * 6
    assert path.stat().st_size == 3 * size + size // 2

    async def resumed() -> None:
        async with ShardJournal(path) as journal:
            await journal.record(call(7))

    asyncio.run(resumed())
    assert ids(path) == ["c0", "c1", "c2", "c7"]


@given(torn=st.binary(max_size=200).filter(lambda data: b"\n" not in data), whole=st.integers(0, 3))
@settings(max_examples=50, deadline=None)
def test_journal_torn_last_line_is_cut_off_whatever_it_holds(
    torn: bytes, whole: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("torn") / "shard.jsonl"
    kept = b"".join(json.dumps(asdict(call(n))).encode() + b"\n" for n in range(whole))
    path.write_bytes(kept + torn)

    async def resumed() -> None:
        async with ShardJournal(path) as journal:
            await journal.record(call(9))

    asyncio.run(resumed())
    assert path.read_bytes().startswith(kept)
    assert ids(path) == [*(f"c{n}" for n in range(whole)), "c9"]


def test_journal_torn_line_longer_than_a_block_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "shard.jsonl"
    path.write_bytes(b'{"call_id": "c0"}\n' + b"x" * 200_000)

    async def resumed() -> None:
        async with ShardJournal(path) as journal:
            await journal.record(call(1))

    asyncio.run(resumed())
    assert ids(path) == ["c0", "c1"]


def test_journal_resumed_after_a_torn_line_folds_into_the_ledger_without_faults(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    path = home.journals("r", "respond") / "000000-x.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(json.dumps(asdict(call(0))).encode() + b'\n{"call_id": "c1", "rep')

    async def resumed() -> None:
        async with ShardJournal(path) as journal:
            await asyncio.gather(*(journal.record(call(n)) for n in range(2, 6)))

    asyncio.run(resumed())
    with writing(home, wait_seconds=1) as con:
        report = fold_journals(con, home, "r", "respond")
    assert (report.calls, report.faults, report.set_aside) == (5, [], [])
    with reading(home, "loader") as con:
        replies = con.execute("SELECT DISTINCT reply FROM calls").fetchall()
    assert replies == [(CALL.reply,)]


def test_journal_of_a_killed_process_holds_every_call_that_it_called_durable(tmp_path: Path) -> None:
    path = tmp_path / "shard.jsonl"
    script = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from demur.engine.journal import ShardJournal\n"
        "from tests.engine.test_journal import call\n"
        "async def one(journal, number):\n"
        "    await journal.record(call(number))\n"
        "    print(number, flush=True)\n"
        "async def main():\n"
        "    async with ShardJournal(Path(sys.argv[1])) as journal:\n"
        "        for start in range(0, 1_000_000, 20):\n"
        "            await asyncio.gather(*(one(journal, n) for n in range(start, start + 20)))\n"
        "asyncio.run(main())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = [int(process.stdout.readline()) for _ in range(500)]
    process.send_signal(signal.SIGKILL)
    told += [int(line) for line in process.stdout.read().split()]
    process.wait()
    whole = path.read_bytes().rpartition(b"\n")[0].splitlines()
    held = {json.loads(line)["call_id"] for line in whole}
    assert {f"c{number}" for number in told} <= held


def test_journal_lines_have_exactly_the_columns_of_calls() -> None:
    """The prompt stays in the journal, which the column names."""
    assert set(asdict(CALL)) - {"prompt"} == set(Calls.to_schema().columns) - {"journal"}
