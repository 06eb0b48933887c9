"""Processes that ask the same model divide its limits, however each of them ends."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from demur.lanes.factory import open_models
from demur.lanes.spec import ModelSpec
from demur.lanes.throttle import shared
from demur.lanes.throttle.process_registry import FolderRegistry, register
from demur.lanes.throttle.shared import in_use, reset_breakers, share_limits, throttle_of
from demur.programs.errors import ProgramError

SPEC = ModelSpec.model_validate(
    {
        "name": "m",
        "provider": "openai",
        "model": "gpt",
        "base_url": "http://127.0.0.1:9/v1",
        "parameters": {"max_tokens": 9},
        "limits": {"concurrency": 12},
    }
)
NEIGHBOUR = """
import sys
from pathlib import Path
from demur.lanes.throttle.process_registry import FolderRegistry, register
registration = register(Path(sys.argv[1]))
print("on", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _alone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared._sharing, "registry", None)
    monkeypatch.setattr(shared, "POLL_SECONDS", 0.05)


def neighbour(folder: Path) -> "subprocess.Popen[str]":
    """Start a process that sits in a folder until it is ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", NEIGHBOUR, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "on\n"
    return process


def test_registrations_of_killed_processes_are_gone(tmp_path: Path) -> None:
    mine = register(tmp_path)
    others = [neighbour(tmp_path) for _ in range(2)]
    assert mine.active() == 3
    others[0].kill()
    others[0].wait()
    assert mine.active() == 2
    others[1].communicate("")
    assert mine.active() == 1
    mine.unregister()
    assert list(tmp_path.iterdir()) == []


async def test_limits_are_divided_as_long_as_another_process_asks(tmp_path: Path) -> None:
    share_limits(FolderRegistry(tmp_path))
    async with open_models([SPEC], "respondent", {}):
        limiter = throttle_of(SPEC).limiter
        assert limiter.limit == 12
        [folder] = tmp_path.iterdir()
        other = neighbour(folder)
        await until(lambda: limiter.limit == 6)
        other.kill()
        other.wait()
        await until(lambda: limiter.limit == 12)


class StuckRegistry:
    """A registry whose database does not answer from the second time on, until it is let."""

    remedy = "wait"

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()
        self.times = 0

    def register(self, model: str) -> "StuckRegistry":
        """Register."""
        return self

    def active(self) -> int:
        """Return how many ask, late."""
        self.times += 1
        if self.times > 1:
            self.asked.set()
            self.let.wait(20)
        return 1

    def unregister(self) -> None:
        """End the registration."""


async def test_limits_are_found_while_the_registry_does_not_answer() -> None:
    registry = StuckRegistry()
    share_limits(registry)
    with in_use(SPEC):
        assert await asyncio.to_thread(registry.asked.wait, 20)
        began = time.monotonic()
        throttle_of(SPEC)
        with in_use(SPEC.model_copy(update={"name": "n"})):
            reset_breakers()
        took = time.monotonic() - began
        registry.let.set()
    assert took < 5


async def test_limits_of_one_model_are_met_under_any_name_and_limits_of_another_are_not(tmp_path: Path) -> None:
    share_limits(FolderRegistry(tmp_path))
    renamed = SPEC.model_copy(update={"name": "n"})
    other = SPEC.model_copy(update={"model": "gpt-2"})
    with in_use(SPEC), in_use(renamed), in_use(other):
        assert len(list(tmp_path.iterdir())) == 2
        assert throttle_of(SPEC).limiter.limit == throttle_of(other).limiter.limit == 12


async def test_limits_are_whole_where_nobody_is_to_be_met() -> None:
    with in_use(SPEC):
        assert throttle_of(SPEC).registration is None and throttle_of(SPEC).limiter.limit == 12


def test_limits_that_cannot_be_divided_say_where(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    share_limits(FolderRegistry(tmp_path / "file"))
    said = "model 'm': .*file, where processes divide its limits, cannot be used"
    with pytest.raises(ProgramError, match=said), in_use(SPEC):
        pass


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds, for half a minute at most."""
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)
