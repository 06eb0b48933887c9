"""A Prefect server as users start it, with demur's deployments and a worker: every one a process of its own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil

from demur.telemetry import QUIET
from demur.warehouse.home import Home
from demur.warehouse.results.query import query
from tests.flows.rounds import ROOT

Found = TypeVar("Found")
LONGEST_SECONDS = 300
"""For an answer of the server, which a busy machine may starve."""


@dataclass(frozen=True, slots=True)
class Deployed:
    """A server with our deployments, and a worker, whose output stands in `log`."""

    api: str
    env: dict[str, str]
    log: Path
    worker: psutil.Process

    def prefect(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Prefect's command line from the checkout."""
        line = [sys.executable, "-m", "prefect", *arguments]
        return subprocess.run(line, cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=1200)

    def found(self, what: str, **filters: object) -> list[dict[str, Any]]:
        """What the server's API finds: flow_runs, artifacts, deployments."""
        answer = httpx.post(f"{self.api}/{what}/filter", json=filters, timeout=LONGEST_SECONDS)
        assert answer.status_code == 200, answer.text
        return list(answer.json())

    def scheduled(self, deployment: str, config: Path, after_seconds: Sequence[int] = (30, 120, 480)) -> str:
        """The id of the flow run that a new schedule of a deployment has started.

        The schedule is for the next of the moments where the server was too busy to plan a run for the one before.
        """

        def started_at(due: datetime) -> list[dict[str, Any]]:
            runs = self.found("flow_runs", deployments={"name": {"any_": [deployment]}})
            return [run for run in runs if datetime.fromisoformat(run["expected_start_time"]) == due]

        for seconds in after_seconds:
            due = (datetime.now(UTC) + timedelta(seconds=seconds)).replace(microsecond=0)
            done = self.prefect(
                "--no-prompt", "deploy", "--name", deployment, "--prefect-file", "deployments/prefect.yaml",
                "--timezone", "UTC", "--interval", "86400", "--anchor-date", due.isoformat(),
                "--params", json.dumps({"config": str(config), "probe": False}),
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            waited_for(lambda due=due: started_at(due) or datetime.now(UTC) > due, seconds + 60, "its moment comes")  # type: ignore[misc]
            if started_at(due):
                break
        return str(started_at(due)[0]["id"])

    def started(self, deployment: str, config: Path) -> str:
        """The id of a new run, which nobody waits for."""
        done = self.prefect("deployment", "run", deployment, "-p", f"config={config}", "-p", "probe=false")
        assert done.returncode == 0, done.stdout + done.stderr
        found = re.search(r"UUID: ([0-9a-f-]{36})", done.stdout)
        assert found is not None, done.stdout
        return found[1]

    def run(self, run: str) -> dict[str, Any]:
        """A flow run, as the server's API describes it."""
        [found] = self.found("flow_runs", flow_runs={"id": {"any_": [run]}})
        return found

    def states(self, run: str) -> list[str]:
        """The states that a run has had, in their order."""
        asked = httpx.get(f"{self.api}/flow_run_states/", params={"flow_run_id": run}, timeout=LONGEST_SECONDS)
        return [state["name"] for state in sorted(asked.json(), key=lambda state: str(state["timestamp"]))]

    def output(self) -> str:
        """What worker and runs have written, after the last run's process has ended."""
        waited_for(lambda: not self.worker.children(), 900, "the runs' processes end")
        return self.log.read_text(encoding="utf-8")

    @contextmanager
    def other_worker(self, log: Path) -> Iterator["Deployed"]:
        """The same with a second worker of the pool, as on another machine."""
        with _process(["worker", "start", "--pool", "demur"], self.env, log.parent, log) as worker:
            yield replace(self, worker=worker, log=log)

    def rows(self, text: str) -> list[tuple[object, ...]]:
        return query(Home(Path(self.env["DEMUR_HOME"])), text, limit=None).rows


@contextmanager
def webhook() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The address of a webhook, and what it has received."""
    received: list[dict[str, str]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/hook", received
        server.shutdown()


@contextmanager
def deployed(folder: Path) -> Iterator[Deployed]:
    """A server with a database of its own, deployments of the checkout, and a worker outside of it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    env = {
        **theirs,
        **QUIET,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PREFECT_HOME": str(folder / "prefect"),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_WORKER_QUERY_SECONDS": "2",
        "DEMUR_HOME": str(folder / "home"),
    }
    api, log = env["PREFECT_API_URL"], folder / "worker.log"
    with ExitStack() as stack:
        serve = ["server", "start", "--host", "127.0.0.1", "--port", str(port)]
        stack.enter_context(_process(serve, env, folder, folder / "server.log"))
        waited_for(lambda: _answers(api), 600, "the server answers")
        deploy = str(ROOT / "deployments" / "deploy")
        done = subprocess.run(deploy, cwd=ROOT, env=env, capture_output=True, text=True, timeout=1200)
        assert done.returncode == 0, done.stdout + done.stderr
        worker = stack.enter_context(_process(["worker", "start", "--pool", "demur"], env, folder, log))
        yield Deployed(api, env, log, worker)


def waited_for(look: Callable[[], Found], seconds: float, what: str) -> Found:
    """Return what `look` returns, once that is something."""
    until = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < until, f"not within {seconds:g} s: {what}"
        time.sleep(0.5)
    return found


def _answers(api: str) -> bool:
    try:
        return httpx.get(f"{api}/health").status_code == 200
    except httpx.TransportError:
        return False


@contextmanager
def _process(arguments: list[str], env: dict[str, str], folder: Path, log: Path) -> Iterator[psutil.Process]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "prefect", *arguments],
            cwd=folder, env=env, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        yield psutil.Process(process.pid)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
