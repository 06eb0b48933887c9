"""How far a running round is, in a file of its home that others may read: stages, units, dollars against the cap."""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from demur.engine.progress import Progress, observe, observer
from demur.engine.time_left import Estimator, TimeLeft
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home

SECONDS_BETWEEN_WRITES: Final = 1.0


class StageState(BaseModel):
    """One stage of this run: units of its plan, those that had landed before, those that ended in `seconds` of work.

    `failed` are those of them that have no result, by reason.
    """

    model_config = ConfigDict(extra="forbid")

    units: int = 0
    landed: int = 0
    done: int = 0
    failed: dict[str, int] = {}
    seconds: float = 0.0


class RoundState(BaseModel):
    """A running round: the stage that it is at, in which step, the stages of this run, and dollars."""

    model_config = ConfigDict(extra="forbid")

    round_id: str
    stage: str = ""
    step: str = ""
    stages: dict[str, StageState] = {}
    spent_usd: float = 0.0
    cap_usd: float | None = None
    left: TimeLeft = TimeLeft()


class _Written(Progress):
    """Hands every event on to another observer with the time left, and writes what they add up to, once a second."""

    def __init__(self, path: Path, state: RoundState, inner: Progress) -> None:
        self._path = path
        self._state = state
        self._inner = inner
        self._lock = threading.Lock()
        self._written = self._started = 0.0
        self._estimator = Estimator()

    def expect(self, units: Mapping[str, float], cap_usd: float | None) -> None:
        self._inner.expect(units, cap_usd)
        with self._lock:
            self._estimator.expected = units

    def entered(self, stage: str, step: str) -> None:
        self._inner.entered(stage, step)
        with self._lock:
            self._estimator.entered(stage, time.monotonic())
            self._state.stage = stage
            self._state.step = step
            self._state.stages.setdefault(stage, StageState())
            self._write()

    def started(self, stage: str, units: int, landed: int) -> None:
        self._inner.started(stage, units, landed)
        with self._lock:
            self._state.stage = stage
            self._state.step = ""
            self._state.stages[stage] = StageState(units=units, landed=landed)
            self._started = time.monotonic()
            self._estimator.started(stage, units, landed, self._started)
            self._write(now=True)

    def advanced(self, stage: str, units: int) -> None:
        with self._lock:
            now = time.monotonic()
            self._estimator.advanced(stage, units, now)
            self.estimated(self._estimator.left(now))
        self._inner.advanced(stage, units)
        with self._lock:
            one = self._state.stages.setdefault(stage, StageState())
            one.done += units
            one.seconds = time.monotonic() - self._started
            self._write()

    def failed(self, stage: str, reason: str, units: int = 1) -> None:
        self._inner.failed(stage, reason, units)
        with self._lock:
            counted = self._state.stages.setdefault(stage, StageState()).failed
            counted[reason] = counted.get(reason, 0) + units
            self._write()

    def estimated(self, left: TimeLeft) -> None:
        self.left = self._state.left = left
        self._inner.estimated(left)

    def ended(self, stage: str, failed: int) -> None:
        with self._lock:
            now = time.monotonic()
            self._estimator.ended(stage, now)
            self.estimated(self._estimator.left(now))
        self._inner.ended(stage, failed)
        with self._lock:
            self._write(now=True)

    def spent(self, usd: float) -> None:
        self._inner.spent(usd)
        with self._lock:
            self._state.spent_usd = usd

    def paid(self, usd: float) -> None:
        self._inner.paid(usd)
        with self._lock:
            self._state.spent_usd += usd

    def notice(self, message: str) -> None:
        self._inner.notice(message)

    def _write(self, now: bool = False) -> None:
        moment = time.monotonic()
        if not now and moment - self._written < SECONDS_BETWEEN_WRITES:
            return
        self._written = moment
        with suppress(OSError):  # a full disk stops the round where it matters
            draft = self._path.with_name(f".{self._path.name}-{os.getpid()}")
            draft.write_text(self._state.model_dump_json(), encoding="utf-8")
            draft.replace(self._path)


@contextmanager
def progress_written(home: Home, round_id: str, cap_usd: float | None) -> Iterator[None]:
    """Write how far a round is while the block runs; a kill leaves a file that `live_rounds` passes over."""
    inner = observer()
    path = home.progress / f"{round_id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    observe(_Written(path, RoundState(round_id=round_id, cap_usd=cap_usd), inner))
    try:
        yield
    finally:
        observe(inner)
        path.unlink(missing_ok=True)


def live_rounds(home: Home) -> dict[str, RoundState]:
    """Return the state of every round that a process works on now, by its id."""
    found = {}
    for path in sorted(home.progress.glob("[!.]*.json")):
        with suppress(OSError, ValidationError, WarehouseError):  # gone meanwhile, of another version, no state to ask
            from demur.engine.round_lock import is_locked  # imports Arrow: not before the first page

            state = RoundState.model_validate_json(path.read_bytes())
            if is_locked(home, state.round_id):
                found[state.round_id] = state
    return found
