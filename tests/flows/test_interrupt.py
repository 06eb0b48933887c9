"""Ctrl-C at a terminal, and SIGTERM to a process group, reach the round and its temporary Prefect server alike."""

import os
import signal
from itertools import takewhile
from pathlib import Path

import psutil
import pytest

from tests.flows.rounds import begun, environment, small

pytestmark = pytest.mark.slow

LONGEST_SECONDS = 120
"""Far less than the minutes in which Prefect would look for a server that is gone."""


def without_api(folder: Path) -> dict[str, str]:
    """The environment of somebody who has no Prefect API."""
    kept = {name: value for name, value in environment(folder / "home").items() if not name.startswith("PREFECT_")}
    return kept | {"PREFECT_HOME": str(folder / "prefect")}


@pytest.mark.parametrize(
    ("number", "whole_group", "status"),
    [
        pytest.param(signal.SIGINT, True, 130, id="ctrl-c", marks=pytest.mark.exhaustive),
        pytest.param(signal.SIGTERM, True, 143, id="sigterm-to-the-group", marks=pytest.mark.repeated),
        pytest.param(signal.SIGTERM, False, 143, id="sigterm-to-the-process", marks=pytest.mark.repeated),
    ],
)
def test_round_ended_by_a_signal_with_a_temporary_api_says_so_once_and_leaves_no_server(
    number: signal.Signals, whole_group: bool, status: int, tmp_path: Path
) -> None:
    process = begun("round", str(small(tmp_path)), env=without_api(tmp_path))
    assert process.stderr is not None
    said = "".join(takewhile(lambda line: not line.startswith("generate: "), process.stderr))
    servers = psutil.Process(process.pid).children(recursive=True)
    assert servers
    (os.killpg if whole_group else os.kill)(process.pid, number)
    _, rest = process.communicate(timeout=LONGEST_SECONDS)
    assert process.returncode == status, said + rest
    assert rest.count("demur: no answer is lost") == 1
    assert "Traceback" not in rest
    assert " | INFO" not in said + rest  # Prefect's own log
    gone, alive = psutil.wait_procs(servers, timeout=LONGEST_SECONDS)
    assert not alive
