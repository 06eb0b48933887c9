"""The page from nothing to a weekly board, followed word for word: its commands, in their order, in one shell."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import boto3
import psutil
import pytest

from tests.engine.postgres_server import started
from tests.flows.deployed import webhook
from tests.flows.rounds import ROOT, command
from tests.object_store import SECRET, needs_store, running_store

KEY = "sk-planted-weekly-0123456789"
HANGS_SECONDS = 3600
"""After so long a command of the page hangs, on the slowest machine too."""
HEADING = "## From nothing to a weekly board\n"


def steps() -> list[tuple[str, bool]]:
    """The shell blocks of the page's section, each with whether the page says that tests leave it out."""
    page = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    section = page.partition(HEADING)[2].partition("\n## ")[0]
    pieces = re.split(r"```sh\n(.*?)```\n", section, flags=re.S)
    before = [text.strip().rpartition("\n\n")[2] for text in pieces[::2]]
    return [(block, said.startswith("Left out,")) for said, block in zip(before, pieces[1::2], strict=False)]


@pytest.fixture
def word() -> Iterator[tuple[str, list[dict[str, str]]]]:
    with webhook() as found:
        yield found


@pytest.fixture
def model() -> Iterator[str]:
    """The address of the provider on this machine."""
    line = command("simulate", "--port", "0", "--latency", "0")
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        yield next(found[0] for line in lines if (found := re.search(r"http://127\.0\.0\.1:\d+", line))) + "/v1"
        process.terminate()


def free_ports() -> int:
    """A port that is free with the two after it."""
    while True:
        with ExitStack() as stack:
            first = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            try:
                for more in (1, 2):
                    stack.enter_context(socket.create_server(("127.0.0.1", first + more)))
            except (OSError, OverflowError):
                continue
            return int(first)


def test_page_says_of_each_block_that_it_leaves_out_why() -> None:
    left_out = [block for block, is_left_out in steps() if is_left_out]
    assert len(steps()) >= 12
    assert [re.search(r"pip install|crontab", block) is not None for block in left_out] == [True, True]


@needs_store
@pytest.mark.slow(seconds=400)
@pytest.mark.repeated
def test_commands_of_the_page_end_in_a_published_board(
    tmp_path: Path, word: tuple[str, list[dict[str, str]]], model: str
) -> None:
    *blocks, last = [block for block, is_left_out in steps() if not is_left_out]
    site = tmp_path / "site"
    heard = tmp_path / "heard"
    script = "\n".join([*blocks, f"until test -e {heard}; do sleep 1; done", last])
    with pytest.MonkeyPatch.context() as patch, running_store(patch), started("postgres") as database:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "DEMUR_"))}
        env |= {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "USER": "Ada",
            "SITE": str(site), "PORT": str(free_ports()), "HOOK": word[0], "MODEL": "respondent/lexical-overlap",
            "MODEL_URL": model, "MODEL_KEY": KEY, "DATABASE": database.address.rpartition("/")[0],
        }  # fmt: skip
        log = tmp_path / "page.log"
        with log.open("wb") as output:
            shell = subprocess.Popen(
                ["bash", "-euxc", script], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            status = finished(shell, lambda: any(one["subject"].endswith(" Completed") for one in word[1]), heard)
        finally:
            end_all(shell.pid, str(site))
        said = log.read_text(encoding="utf-8")
        assert status == 0, said[-4000:] + (site / "server.log").read_text(encoding="utf-8")[-2000:]
        got = boto3.client("s3", region_name="us-east-1").get_object(Bucket="board", Key="index.html")
        assert got["ContentType"] == "text/html"
        board = got["Body"].read().decode()
    assert all(f">{name}<" in board for name in ("ours", "defect-spotter", "always-refuses")), board[:2000]
    assert "Ada" in said.partition("+ demur rounds")[2].splitlines()[1]
    assert heard.exists(), word[1]
    kept = [path for path in site.rglob("*") if path.is_file() and path.name not in ("env", "publish")]
    assert len(kept) > 10
    assert [path for path in kept if {KEY, SECRET} & found_in(path)] == []


def finished(shell: subprocess.Popen[bytes], has_come: Callable[[], bool], heard: Path) -> int:
    """Return the status of a shell once it has ended; a file tells it that word of a run has come."""
    began = time.monotonic()
    while shell.poll() is None and time.monotonic() - began < HANGS_SECONDS:
        if has_come():
            heard.touch()
        time.sleep(0.5)
    return shell.wait(1)


def found_in(path: Path) -> set[str]:
    content = path.read_bytes()
    return {secret for secret in (KEY, SECRET) if secret.encode() in content}


def end_all(session: int, site: str) -> None:
    """End what the page started: processes of its shell's session, and those that name its folder."""
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session or process.environ().get("SITE") == site:
                process.send_signal(signal.SIGKILL)
        except (psutil.Error, ProcessLookupError):
            continue
