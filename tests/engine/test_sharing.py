"""Processes that ask the same model divide its limits, however each of them ends."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from demur.engine.state.shared import shared_state
from demur.lanes.spec import ModelSpec
from demur.lanes.throttle import shared
from demur.lanes.throttle.shared import in_use, reset_breakers, share_limits, throttle_of
from demur.programs.errors import ProgramError
from demur.warehouse.home import Home

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
from demur.engine.state.shared import shared_state
from demur.warehouse.home import Home
registration = shared_state(Home(Path(sys.argv[1]))).registry().register(sys.argv[2])
print("on", flush=True)
sys.stdin.read()
registration.unregister()
"""


@pytest.fixture(autouse=True)
def _alone_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(shared._sharing, "registry", None)
    monkeypatch.setattr(shared, "_known", {})
    monkeypatch.setattr(shared, "POLL_SECONDS", 0.05)
    yield
    shared.end_sharing()


def neighbour(home: Home, model: str) -> "subprocess.Popen[str]":
    """Start a process that asks a model until it is ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", NEIGHBOUR, str(home.root), model],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "on\n"
    return process


def test_registrations_of_killed_processes_are_gone(home: Home, address: str | None) -> None:
    mine = shared_state(home).registry().register("killed")
    others = [neighbour(home, "killed") for _ in range(2)]
    assert mine.active() == 3
    others[0].kill()
    others[0].wait()
    assert mine.active() == 2
    others[1].communicate("")
    assert mine.active() == 1
    mine.unregister()


class StuckRegistry:
    """A registry whose database does not answer from the second time on, until it is let."""

    remedy = "wait"
    finding = heard = None

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
            self.let.wait(120)
        return 1

    def take(self, rate: str, amount: float, per_minute: float) -> float:
        """Take nothing."""
        return 0.0

    def unregister(self) -> None:
        """End the registration."""


async def test_limits_are_found_while_the_registry_does_not_answer() -> None:
    registry = StuckRegistry()
    share_limits(registry)
    with in_use(SPEC):
        assert await asyncio.to_thread(registry.asked.wait, 120)
        began = time.monotonic()
        throttle_of(SPEC)
        with in_use(SPEC.model_copy(update={"name": "n"})):
            reset_breakers()
        took = time.monotonic() - began
        registry.let.set()
    assert took < 100


async def test_limits_are_whole_where_nobody_is_to_be_met() -> None:
    with in_use(SPEC):
        assert throttle_of(SPEC).registration is None and throttle_of(SPEC).limiter.limit == 12


def test_limits_that_cannot_be_divided_say_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    (tmp_path / "file").write_text("")
    share_limits(shared_state(Home(tmp_path / "file")).registry())
    said = "model 'm': .*file/state.db, where processes divide its limits, cannot be used"
    with pytest.raises(ProgramError, match=said), in_use(SPEC):
        pass
