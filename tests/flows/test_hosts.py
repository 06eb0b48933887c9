"""A round over hosts of its own, of which one worker and the flow are killed: the short form of the benchmark."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.flows.rounds import ROOT

pytestmark = [pytest.mark.repeated, pytest.mark.slow(seconds=240)]
NEEDED = ("distributed", "prefect_dask", "psycopg_pool", "asyncpg", "moto", "obstore")


def test_round_whose_hosts_are_killed_is_that_of_one_machine() -> None:
    if os.geteuid() or not shutil.which("ip") or not shutil.which("setpriv"):
        pytest.skip("network namespaces need root, ip and setpriv (Debian: iproute2, util-linux)")
    if not list(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        pytest.skip("PostgreSQL's server is not installed")
    if lacking := [name for name in NEEDED if find_spec(name) is None]:
        pytest.skip(f"needs {', '.join(lacking)}: pip install 'demur[dev]'")
    if subprocess.run(["ip", "netns", "add", f"demur-{os.getpid()}"], capture_output=True).returncode:
        pytest.skip("this system makes no network namespaces")
    subprocess.run(["ip", "netns", "del", f"demur-{os.getpid()}"], check=True)
    line = [sys.executable, "benchmarks/hosts.py", "--bases", "6", "--workers", "2", "--worker-kills", "1",
            "--flow-kills", "1", "--latency", "0.05", "--per-minute", "1200", "--store"]  # fmt: skip
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=1_200)
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    assert "| calls answered twice | 0 | 0 | yes |" in done.stdout
