"""A temporary Prefect server for one process, started if the setting PREFECT_API_URL names no server.

Prefect has a class for such servers. The class imports the whole server into the round's process, which takes 75 MB. If
a process is killed, its temporary server goes on. The next call of `start_temporary_api` on the machine stops it.
"""

import atexit
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final

import psutil

from demur.configuration.settings import TEMPORARY_API, prefect_api_url, reread_prefect_settings
from demur.engine.context import RoundContext, loader_reading
from demur.errors import FlowError
from demur.warehouse.round_rows import is_finished

OWNER: Final = "DEMUR_SERVER_OF"
"""Environment variable of a temporary server. Its value is the PID of the process that started the server."""
START_TIMEOUT: Final = "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"
START_SECONDS: Final = 180.0
"""Prefect's own 20 s are too few on a busy machine whose Prefect has never run and must make its database first."""
_ATTEMPTS: Final = 3
"""Another program may take a free port before the server does."""
_POLL_SECONDS: Final = 0.1
_ANSWER_SECONDS: Final = 5.0
_END_SECONDS: Final = 3.0
_APP: Final = "prefect.server.api.server:create_app"
_SERVER: Final = {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1", "PREFECT__SERVER_FINAL": "1"}
"""Settings of Prefect's own temporary servers."""
_SPARED: Final = {
    # Blocks are registered as they are saved. The check at start imports Dask, in half a second of CPU.
    "PREFECT_MEMOIZE_BLOCK_AUTO_REGISTRATION": "false",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
    # Automations, and the feed of events that only they and Prefect's page of events read.
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
}
"""Settings that switch off what the server of one process does not need; the user's own settings have priority."""
_NO_CERTIFICATES: Final = "PREFECT_API_TLS_INSECURE_SKIP_VERIFY"
# This API has no TLS, yet each of the hundred clients of a round reads all certificates otherwise, in 15 ms of CPU.
_running: list[subprocess.Popen[bytes]] = []


def run_with_api(context: RoundContext, run: Callable[[], object], starting: Callable[[], None] = lambda: None) -> None:
    """Call `run`, which runs flows of a round, with a Prefect API: the user's, or a temporary one.

    A finished round is first run outside Prefect. If it has no unit to do, that is all, and no server is started.

    Args:
        context: The round, which was checked.
        run: Calls the flows.
        starting: Is called before a temporary server starts.

    Raises:
        FlowError: the server does not start, or the flows raise it.
    """
    if prefect_api_url() is None and _has_finished(context):
        from demur.engine.tasks import UnitsToDo, outside_prefect  # imports Prefect

        with suppress(UnitsToDo), outside_prefect():
            run()
            return
    starting()
    start_temporary_api()
    run()


def _has_finished(context: RoundContext) -> bool:
    if not context.home.loader.exists():
        return False
    with loader_reading(context) as con:
        return is_finished(con, context.round_id)


def start_temporary_api() -> None:
    """Start a temporary server for this process, and wait until the server answers.

    No server is started if PREFECT_API_URL names one, or if this process already has one. First, temporary servers
    whose process has ended are stopped.

    Raises:
        FlowError: the server does not start.
    """
    end_left_behind()
    if prefect_api_url() is not None or any(server.poll() is None for server in _running):
        return
    atexit.register(stop_temporary_api)
    deadline = time.monotonic() + float(os.environ.get(START_TIMEOUT, START_SECONDS))
    for _ in range(_ATTEMPTS):
        port = _free_port()
        server = _serve(port)
        _running.append(server)
        url = f"http://127.0.0.1:{port}/api"
        while server.poll() is None and time.monotonic() < deadline:
            if _answers(port):
                os.environ[TEMPORARY_API] = os.environ["PREFECT_API_URL"] = url
                os.environ.setdefault(_NO_CERTIFICATES, "true")
                reread_prefect_settings()
                return
            time.sleep(_POLL_SECONDS)
    stop_temporary_api()
    raise FlowError(
        "Prefect's temporary server did not start. Start a server with `prefect server start`, which shows why, and "
        f"set PREFECT_API_URL to it; or allow more than {START_SECONDS:.0f} s for the start ({START_TIMEOUT})"
    )


def stop_temporary_api() -> None:
    """End the temporary server of this process."""
    for server in _running:
        server.terminate()
    for server in _running:
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=_END_SECONDS)


def _serve(port: int) -> subprocess.Popen[bytes]:
    address = ("--host", "127.0.0.1", "--port", str(port))
    return subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "--factory", _APP, *address, "--log-level", "error", "--lifespan", "on"],
        env={**_SPARED, **os.environ, **_SERVER, OWNER: str(os.getpid())},
    )


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    """Return whether the server answers. A client of httpx would read all certificates each time, in 15 ms of CPU."""
    try:
        with closing(HTTPConnection("127.0.0.1", port, timeout=_ANSWER_SECONDS)) as server:
            server.request("GET", "/api/health")
            return server.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False


def end_left_behind() -> None:
    """Stop every temporary server whose starting process has ended."""
    for process in psutil.process_iter(["cmdline"]):
        if _APP not in (process.info["cmdline"] or ()):
            continue
        try:
            owner = process.environ().get(OWNER)
            if owner and _counts_as_we_do(process.pid) and not psutil.pid_exists(int(owner)):
                process.terminate()
        except (psutil.Error, ValueError):
            continue


def _counts_as_we_do(pid: int) -> bool:
    """Return whether a process is in our PID namespace. Another container may use the PID in `OWNER` otherwise."""
    own = Path("/proc/self/ns/pid")
    try:
        return not own.exists() or own.readlink() == Path(f"/proc/{pid}/ns/pid").readlink()
    except OSError:  # the process has ended, or belongs to another user
        return False
