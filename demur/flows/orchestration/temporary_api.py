"""The temporary Prefect API of a process, used if the user has named no Prefect API.

The temporary server of a killed process is ended by the next process.
"""

import os
from pathlib import Path
from typing import Final

import psutil

OWNER: Final = "DEMUR_SERVER_OF"
"""Environment variable of a temporary server with the PID of the process that started the server."""
START_TIMEOUT: Final = "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"
START_SECONDS: Final = 180
"""Start timeout of a temporary server. Prefect's 20 s are too short for the first start on a busy machine."""


def mark_temporary_api() -> None:
    """Prepare temporary servers: mark those of this process, raise their start timeout, and end abandoned servers."""
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
    """Return whether a process is in our PID namespace. PIDs of other containers mean other processes here."""
    own = Path("/proc/self/ns/pid")
    try:
        return not own.exists() or own.readlink() == Path(f"/proc/{pid}/ns/pid").readlink()
    except OSError:  # the process has ended, or belongs to another user
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
