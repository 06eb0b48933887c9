"""Ctrl-C at a terminal reaches the round and its temporary Prefect server alike."""

import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.flows.rounds import ROOT, command, environment, small

pytestmark = pytest.mark.slow

LONGEST_SECONDS = 60
"""Far less than the minutes in which Prefect would look for a server that is gone."""


def without_api(folder: Path) -> dict[str, str]:
    """The environment of somebody who has no Prefect API."""
    kept = {name: value for name, value in environment(folder / "home").items() if not name.startswith("PREFECT_")}
    return kept | {"PREFECT_HOME": str(folder / "prefect")}


def test_round_interrupted_with_a_temporary_api_ends_with_one_message_and_leaves_no_server(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("round", str(small(tmp_path))),
        env=without_api(tmp_path),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    said = next(line for line in process.stderr if line.startswith("generate: "))
    servers = psutil.Process(process.pid).children(recursive=True)
    assert servers
    os.killpg(process.pid, signal.SIGINT)
    _, rest = process.communicate(timeout=LONGEST_SECONDS)
    assert process.returncode == 130, said + rest
    assert "demur: interrupted. Nothing that was answered is lost" in rest
    assert "Traceback" not in rest
    gone, alive = psutil.wait_procs(servers, timeout=LONGEST_SECONDS)
    assert not alive
