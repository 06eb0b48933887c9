"""The temporary Prefect API that a round starts where the user has none."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest
from prefect.client.orchestration import get_client
from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

from demur.flows.orchestration.temporary_api import OWNER, START_TIMEOUT, end_left_behind
from tests.flows.rounds import ROOT

ASKED = """
import sys
from prefect.client.orchestration import get_client
from demur.configuration.settings import prefect_api_url
from demur.flows.orchestration.temporary_api import start_temporary_api

start_temporary_api()
start_temporary_api()
with get_client(sync_client=True) as client:
    print(client.read_flows(), client.api_url)
print(prefect_api_url(), "prefect.server.api.server" in sys.modules)
"""


def without_api(folder: Path, **more: str) -> dict[str, str]:
    """The environment of somebody who has no Prefect API."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "DEMUR_TEMPORARY"))}
    return kept | {"PREFECT_HOME": str(folder)} | more


def test_temporary_api_answers_without_its_modules_here_and_ends_with_the_process(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", ASKED], env=without_api(tmp_path), cwd=ROOT, capture_output=True, text=True, check=True
    )
    asked, here = told.stdout.splitlines()
    assert asked.startswith("[] http://127.0.0.1:")
    assert here == "None False"
    with pytest.raises(OSError, match="refused"):
        urlopen(f"{asked.removeprefix('[] ')}/health")


def test_temporary_api_that_does_not_start_in_time_is_one_error_with_its_remedy(tmp_path: Path) -> None:
    environment = without_api(tmp_path, **{START_TIMEOUT: "0"})
    told = subprocess.run([sys.executable, "-c", ASKED], env=environment, cwd=ROOT, capture_output=True, text=True)
    assert "FlowError: Prefect's temporary server did not start" in told.stderr
    assert START_TIMEOUT in told.stderr


@contextmanager
def left_behind(*before: str) -> Iterator[psutil.Popen]:
    """A process that looks like a temporary server whose owner has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    waits = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]
    command = [*before, *waits, "prefect.server.api.server:create_app"]
    server = psutil.Popen(command, env={**os.environ, OWNER: str(ended.pid)}, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline() == "up\n"
        yield server
    finally:
        if server.is_running():
            server.kill()
            server.wait()


def test_temporary_api_of_a_process_that_has_ended_is_ended() -> None:
    with left_behind() as server:
        end_left_behind()
        server.wait(timeout=60)


def test_temporary_api_of_a_container_is_left_alone() -> None:
    apart = ("unshare", "--pid", "--fork", "--kill-child")
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True).returncode:
        pytest.skip("no PID namespaces here")
    with left_behind(*apart) as outside:
        [inside] = outside.children()
        end_left_behind()
        with pytest.raises(psutil.TimeoutExpired):
            inside.wait(timeout=0.5)


class Busy(BaseHTTPRequestHandler):
    """Answers as Prefect's server does whose database is away, then as one that has no flows."""

    failing = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        type(self).failing -= 1
        body = json.dumps([]).encode()
        self.send_response(500 if type(self).failing >= 0 else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


async def test_api_whose_database_is_away_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PREFECT_CLIENT_MAX_RETRIES.value() == 7, "four minutes"
    monkeypatch.setattr(Busy, "failing", 1)
    with ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with temporary_settings({PREFECT_API_URL: f"http://127.0.0.1:{server.server_port}/api"}):
            async with get_client() as client:
                assert await client.read_flows() == []
        server.shutdown()
    assert Busy.failing == -1
