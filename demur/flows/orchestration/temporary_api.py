"""The Prefect API of a round: the user's, or a temporary one that ends with the process.

A killed process cannot end its temporary server; the next process does.
"""

import os
from pathlib import Path
from typing import Final

import psutil

OWNER: Final = "DEMUR_SERVER_OF"
"""Environment variable by which a temporary server names the process that it belongs to."""
START_TIMEOUT: Final = "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"
START_SECONDS: Final = 180
"""Prefect's own 20 s are too few on a busy machine whose Prefect has never run and must make its database first."""


def mark_temporary_api() -> None:
    """Let temporary servers of this process say whose they are, wait for them, and end those whose process is gone."""
    os.environ[OWNER] = str(os.getpid())
    os.environ.setdefault(START_TIMEOUT, str(START_SECONDS))
    for process in psutil.process_iter(["cmdline"]):
        if "prefect.server.api.server:create_app" not in (process.info["cmdline"] or ()):
            continue
        try:
            owner = process.environ().get(OWNER)
            if owner and _counts_as_we_do(process.pid) and not psutil.pid_exists(int(owner)):
                process.terminate()
        except (psutil.Error, ValueError):
            continue


def _counts_as_we_do(pid: int) -> bool:
    """Return whether a process is in our PID namespace; process ids of containers mean other processes here."""
    own = Path("/proc/self/ns/pid")
    try:
        return not own.exists() or own.readlink() == Path(f"/proc/{pid}/ns/pid").readlink()
    except OSError:  # it has ended, or is somebody else's
        return False


def stop_temporary_api() -> None:
    """End the temporary servers of this process."""
    children = [
        child for child in psutil.Process().children() if "prefect.server.api.server:create_app" in _command(child)
    ]
    for child in children:
        child.terminate()
    psutil.wait_procs(children, timeout=3)


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
