"""The record of paid calls outside rounds: nothing that it took is lost, whoever opens it next and whenever."""

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pytest

from demur.engine.call_file import CallFile
from demur.errors import FlowError
from tests.engine.test_journal import call, ids

ROOT = Path(__file__).parents[2]


def line(number: int) -> bytes:
    return json.dumps(asdict(call(number))).encode() + b"\n"


def test_call_file_with_a_torn_line_loses_nothing_where_the_disk_takes_no_more(tmp_path: Path) -> None:
    """Today's answers survive an opening that cannot write: what is torn is cut off, and nothing is written anew."""
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b"".join(map(line, range(100))) + b'{"call_id": "c100", "rep')
    script = (
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from demur.engine.call_file import CallFile\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "with CallFile(Path(sys.argv[1])) as calls:\n"
        "    print(len(calls.of_unit('u99')))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-B", "-c", script, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert ids(path) == [f"c{number}" for number in range(100)], ran.stderr
    assert ran.stdout == "1\n"


def test_call_file_has_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with CallFile(path) as calls:
        with pytest.raises(FlowError, match=r"calls\.jsonl: another process writes there.*DEMUR_HOME"):
            CallFile(path)
        asyncio.run(calls.record(call(0)))
    with CallFile(path) as calls:
        assert [known.call_id for known in calls.of_unit("u0")] == ["c0"]


@pytest.mark.parametrize(
    "bad",
    [
        b'{"call_id": "c1", "rep{"call_id": "c2"}\n',
        b"[1]\n",
        b'{"call_id": "c1"}\n',
        line(1).replace(b'"call_id"', b'"another": 1, "call_id"'),
        b"\xff\xfe\n",
        line(1).replace(b'"logprobs": null', b'"logprobs": "{"'),
    ],
)
def test_call_file_names_the_line_that_is_no_call(bad: bytes, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_bytes(line(0) + bad + line(2))
    with pytest.raises(FlowError, match=r"calls\.jsonl:2: is no recorded call .*Take the line out"):
        CallFile(path)
    path.write_bytes(line(0) + line(2))
    with CallFile(path) as calls:  # the refused opening left no lock behind
        assert len(calls.of_unit("u0")) == len(calls.of_unit("u2")) == 1


def test_call_file_that_cannot_be_made_says_where(tmp_path: Path) -> None:
    (tmp_path / "folder").write_bytes(b"")
    with pytest.raises(FlowError, match=r"folder/calls\.jsonl: cannot be used"):
        CallFile(tmp_path / "folder" / "calls.jsonl")


async def test_call_file_syncs_off_the_event_loop_and_many_calls_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, fsync, held = tmp_path / "calls.jsonl", os.fsync, threading.Event()
    syncs: list[int] = []

    def slow(descriptor: int) -> None:
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            assert held.wait(10)
            syncs.append(len(path.read_bytes().splitlines()))
        fsync(descriptor)

    with CallFile(path) as calls:
        monkeypatch.setattr(os, "fsync", slow)
        waiting = [asyncio.create_task(calls.record(call(number))) for number in range(200)]
        while not path.stat().st_size:
            await asyncio.sleep(0.001)  # the loop goes on while the disk is busy
        assert not any(task.done() for task in waiting)
        held.set()
        await asyncio.gather(*waiting)
    assert sorted(map(str, ids(path))) == sorted(f"c{number}" for number in range(200))
    assert syncs[-1] == 200 and len(syncs) <= 100


def test_call_file_takes_calls_of_many_event_loops(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with CallFile(path) as calls, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: asyncio.run(calls.record(call(number))), range(40)))
    assert sorted(map(str, ids(path))) == sorted(f"c{number}" for number in range(40))


def test_call_file_of_a_killed_process_holds_every_call_that_it_called_durable(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    script = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from demur.engine.call_file import CallFile\n"
        "from tests.engine.test_journal import call\n"
        "async def one(calls, number):\n"
        "    await calls.record(call(number))\n"
        "    print(number, flush=True)\n"
        "async def main():\n"
        "    with CallFile(Path(sys.argv[1])) as calls:\n"
        "        for start in range(0, 1_000_000, 20):\n"
        "            await asyncio.gather(*(one(calls, n) for n in range(start, start + 20)))\n"
        "asyncio.run(main())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = [int(process.stdout.readline()) for _ in range(200)]
    process.send_signal(signal.SIGKILL)
    told += [int(each) for each in process.stdout.read().split()]
    process.wait()
    with CallFile(path) as calls:
        assert all(calls.of_unit(f"u{number}") for number in told)
