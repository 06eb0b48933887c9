"""The progress of running rounds in the shared state: stages, units, and dollars against the cap."""

import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from demur.engine.logs import observe, observer
from demur.engine.progress_events import Estimator, Progress, TimeLeft
from demur.errors import ConfigError
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home

if TYPE_CHECKING:
    from demur.engine.state.shared import SharedState

SECONDS_BETWEEN_WRITES: Final = 1.0
LONGEST_WAIT_SECONDS: Final = 1.0
"""Longest wait of a stage, at its start and end, for the write of its progress."""


class StageState(BaseModel):
    """One stage in the current run, which is the work of one process on the round.

    Attributes:
        units: Planned units.
        landed: Units landed before this run.
        done: Units ended in this run.
        failed: Failed units among the ended units, by reason.
        seconds: Seconds from the start of the stage to the last ended unit.
    """

    model_config = ConfigDict(extra="forbid")

    units: int = 0
    landed: int = 0
    done: int = 0
    failed: dict[str, int] = {}
    seconds: float = 0.0


class RoundState(BaseModel):
    """A running round: its current stage and step, the stages of this run, its costs and the time left."""

    model_config = ConfigDict(extra="forbid")

    round_id: str
    stage: str = ""
    step: str = ""
    stages: dict[str, StageState] = {}
    spent_usd: float = 0.0
    cap_usd: float | None = None
    left: TimeLeft = TimeLeft()


class _Written(Progress):
    """Forwards events, and the estimate of the time left, to another observer. Writes totals to the state.

    Totals are written about once a second.
    """

    def __init__(self, shared: "SharedState", state: RoundState, inner: Progress) -> None:
        self._shared = shared
        self._state = state
        self._inner = inner
        self._under_way: Future[object] = Future()
        self._under_way.set_result(None)
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

    def failed(self, stage: str, reason: str, units: int = 1, unit: str | None = None) -> None:
        self._inner.failed(stage, reason, units, unit)
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
        """Write the totals at once if `now` is True, otherwise at most once a second.

        If `now` is False, nothing is written while an earlier write is under way; the next write has the newer totals.
        """
        moment = time.monotonic()
        if not now and (moment - self._written < SECONDS_BETWEEN_WRITES or not self._under_way.done()):
            return
        self._written = moment
        wait([self._under_way], LONGEST_WAIT_SECONDS if now else 0)
        self._under_way = self._shared.say_progress(self._state.round_id, self._state.model_dump_json())
        if now:
            wait([self._under_way], LONGEST_WAIT_SECONDS)


@contextmanager
def progress_written(home: Home, round_id: str, cap_usd: float | None) -> Iterator[None]:
    """Write the progress of a round to the state while the block runs.

    A killed process leaves its last progress in the state; `live_rounds` ignores this progress.
    """
    from demur.engine.state.shared import shared_state

    inner = observer()
    inner.of_round(round_id)
    shared = shared_state(home)
    observe(_Written(shared, RoundState(round_id=round_id, cap_usd=cap_usd), inner))
    try:
        yield
    finally:
        observe(inner)
        with suppress(OSError):  # a full disk stops the round where it matters
            shared.end_progress(round_id)


def live_rounds(home: Home) -> dict[str, RoundState]:
    """Return the progress of every round on which a process works, by round id."""
    from demur.engine.round_lock import is_locked  # imports Arrow, which would delay the first page
    from demur.engine.state.shared import shared_state

    found = {}
    with suppress(ConfigError, WarehouseError, OSError):  # no state to ask
        for round_id, said in shared_state(home).progress().items():
            with suppress(ValidationError):  # written by another version
                state = RoundState.model_validate_json(said)
                if is_locked(home, round_id):
                    found[round_id] = state
    return found
