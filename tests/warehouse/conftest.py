import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from demur.warehouse.home import Home
from tests.warehouse.gate_round import whole_round

REPOSITORY = Path(__file__).parents[2]

RunScript = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def gate_home(home: Home) -> Home:
    """A home whose round has nothing wrong with it, to be spoiled."""
    whole_round(home)
    return home


@contextmanager
def full_disk(most_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size inside the block."""
    resource = pytest.importorskip("resource", reason="file-size limits are a POSIX thing")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def start() -> Iterator[RunScript]:
    """Start a Python script in a process of its own, killed at the end of the test; wait for its first line."""
    running: list[subprocess.Popen[str]] = []

    def start_script(script: str, *arguments: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first, process.stderr.read() if process.stderr else ""
        return process

    yield start_script
    for process in running:
        process.kill()
        process.communicate()
