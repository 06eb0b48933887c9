"""Events of a round for observers, counters of units, and the estimate of the remaining time."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Final

# The estimate of the remaining time of a stage and its round, with bounds.


DEVIATIONS: Final = 1.64
"""Width of the bounds in standard deviations: 90 % of intervals contain the true time for exponential times."""
LATER: Final = 2.0
"""Factor by which units of later stages may be slower or faster than units so far."""
FEWEST: Final = 8
"""Fewest units ended in this run from which the time of later stages is estimated."""
WORTH_A_NUMBER: Final = 1.5
"""Largest ratio of the bounds for which one number is shown instead of two."""


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """Lower and upper bound of a time, in seconds."""

    low: float
    high: float

    @property
    def likely(self) -> float:
        """The geometric mean of the bounds."""
        return sqrt(self.low * self.high)


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """Remaining time of the running stage and of its round; None if no estimate is possible yet."""

    stage: TimeBounds | None = None
    round: TimeBounds | None = None


@dataclass(slots=True)
class _Stage:
    """One stage in the current run of the round. All times are seconds of one clock.

    Attributes:
        weight: The expected number of units that ask models.
        entered: The time when the stage was entered.
        units: Planned units.
        landed: Units landed before this run.
        done: Units ended since `begun`.
        begun: The time when work on units began. A stage that is entered again, such as for repairs, begins again.
        first: The time when the first unit ended.
        last: The time when the last unit ended.
        ended: The time when the stage ended; None while it runs.
        done_before: Units ended in this run before `begun`.
        seconds_before: The time that these units took.
    """

    weight: float
    entered: float
    units: int = 0
    landed: int = 0
    done: int = 0
    begun: float = 0.0
    first: float = 0.0
    last: float = 0.0
    ended: float | None = None
    done_before: int = 0
    seconds_before: float = 0.0

    @property
    def all_done(self) -> int:
        """Units ended in this run."""
        return self.done_before + self.done

    @property
    def seconds(self) -> float:
        """The time that the units ended in this run took."""
        return self.seconds_before + (self.last - self.begun if self.done else 0.0)

    def left(self, now: float) -> TimeBounds | None:
        """Return bounds of the time for the stage's pending units; None before a second unit has ended.

        The upper bound uses the average time per unit since the start. This average is too high, because it includes
        the wait for the first answers. The lower bound uses the average time per unit since the first unit ended. This
        average is too low if several answers come at the same time.
        """
        open_units = self.units - self.landed - self.done
        if self.done < 2 or self.ended is not None or open_units < 1:
            return None
        slow = (now - self.begun) / self.done
        fast = min(slow, (self.last - self.first) / (self.done - 1))
        spread = 1 + DEVIATIONS / sqrt(self.done)
        return TimeBounds(open_units * fast / spread, open_units * slow * spread)

    def weight_done(self) -> float:
        """Return `weight` times the share of the stage's planned units that ended in this run."""
        return self.weight * self.all_done / self.units if self.units else 0.0


@dataclass(slots=True)
class Estimator:
    """Follows a round from stage to stage. All times `now` are seconds of one clock.

    Estimates use only units that ended in the current run of the round. The time of the running stage is estimated from
    the stage's own units. The time of a later stage is the sum of two estimates. The first is the time for the stage's
    expected units, at the average pace of all ended units. The second is the average time that the stages up to now
    took for other steps (planning, loading, gates, publishing).
    """

    expected: Mapping[str, float] = field(default_factory=dict)
    _stages: dict[str, _Stage] = field(default_factory=dict)
    _current: str | None = None

    def entered(self, stage: str, now: float) -> None:
        """Start or resume a stage."""
        one = self._stages.setdefault(stage, _Stage(self.expected.get(stage, 0.0), now))
        one.ended = None
        self._current = stage

    def started(self, stage: str, units: int, landed: int, now: float) -> None:
        """Set the numbers of planned and of landed units of a stage."""
        self.entered(stage, now)
        one = self._stages[stage]
        one.seconds_before = one.seconds
        one.done_before = one.all_done
        one.units = units
        one.landed = landed
        one.done = 0
        one.begun = now

    def advanced(self, stage: str, units: int, now: float) -> None:
        """Count ended units of a stage."""
        one = self._stages[stage]
        one.first = one.first if one.done else now
        one.done += units
        one.last = now

    def ended(self, stage: str, now: float) -> None:
        """Set the end of a stage. The stage may be entered again later."""
        self._stages[stage].ended = now

    def left(self, now: float) -> TimeLeft:
        """Return the time left of the running stage and of the round."""
        current = None if self._current is None else self._stages[self._current]
        if current is None or not self.expected:
            return TimeLeft(None if current is None else current.left(now))
        stage = current.left(now)
        done = [one for one in self._stages.values() if one.weight and one.all_done]
        weight = sum(one.weight_done() for one in done)
        later = [name for name in self.expected if name not in self._stages]
        units = sum(self.expected[name] for name in later)
        is_open = current.ended is None and current.units > current.landed + current.done
        if (units and sum(one.all_done for one in done) < FEWEST) or (is_open and stage is None):
            return TimeLeft(stage)
        pace = sum(one.seconds for one in done) / weight if weight else 0.0
        rest = units * pace + len(later) * self._beside(now)
        own = stage or TimeBounds(0.0, 0.0)
        return TimeLeft(stage, TimeBounds(own.low + rest / LATER, own.high + rest * LATER) if later or stage else None)

    def _beside(self, now: float) -> float:
        stages = self._stages.values()
        took = sum((now if one.ended is None else one.ended) - one.entered for one in stages)
        return max(took - sum(one.seconds for one in stages if one.weight), 0.0) / len(stages)


def phrases(left: TimeLeft) -> list[str]:
    """Return phrases on the remaining time, for a progress line; an empty list if nothing is known."""
    spans = ((left.stage, "left"), (left.round, "left of the round"))
    return [f"{said(span)} {of_what}" for span, of_what in spans if span is not None]


def said(span: TimeBounds | None) -> str:
    """Return a time in words, such as "about 5 min", or "2 to 9 min" if the bounds are far apart."""
    if span is None:
        return ""
    if span.high <= WORTH_A_NUMBER * max(span.low, 1.0):
        return f"about {duration(span.likely)}"
    per, unit = _unit(span.high)
    low, high = (_rounded(seconds / per) for seconds in (span.low, span.high))
    return f"up to {high} {unit}" if float(low) == 0 else f"{low} to {high} {unit}"


def duration(seconds: float) -> str:
    """Return a duration in seconds below two minutes, in minutes below two hours, else in hours."""
    per, unit = _unit(seconds)
    return f"{seconds / per:.1f} {unit}" if unit == "h" else f"{seconds / per:.0f} {unit}"


def _unit(seconds: float) -> tuple[float, str]:
    return (1.0, "s") if seconds < 120 else (60.0, "min") if seconds < 7200 else (3600.0, "h")


def _rounded(number: float) -> str:
    return f"{number:.1f}" if 0 < number < 1 else f"{float(f'{number:.2g}'):.0f}"


# Events of a round for observers, and counters of units.


SECONDS_BETWEEN_LINES: Final = 10.0
"""Least time between two lines about the ended units of a stage."""


class Quoting(str):
    """A message that quotes text of others, such as a provider's error.

    `plain` is the message without the quotation.
    """

    plain: str

    def __new__(cls, plain: str, quoted: str) -> "Quoting":
        """Return the message, followed by the quotation in parentheses."""
        made = super().__new__(cls, f"{plain} ({quoted})")
        made.plain = plain
        return made


class Progress:
    """Receives events of the stage engine from any thread.

    Handlers do nothing unless a subclass overrides them.
    """

    left: TimeLeft = TimeLeft()
    """The latest estimate of the time left."""

    def of_round(self, round_id: str) -> None:
        """Set the round of later events."""

    def expect(self, units: Mapping[str, float], cap_usd: float | None) -> None:
        """Set the expected number of units by stage, and the cap of the round."""

    def estimated(self, left: TimeLeft) -> None:
        """Set the estimate of the time left."""
        self.left = left

    def entered(self, stage: str, step: str) -> None:
        """A stage entered a step other than the work on units: loading, planning, checking or publishing."""

    def started(self, stage: str, units: int, landed: int) -> None:
        """A stage started with `units` planned units, of which `landed` had landed before."""

    def advanced(self, stage: str, units: int) -> None:
        """A number of units ended, with or without a result."""

    def failed(self, stage: str, reason: str, units: int = 1, unit: str | None = None) -> None:
        """A number of ended units failed for a reason. `unit` is None if only their number is known."""

    def ended(self, stage: str, failed: int) -> None:
        """A stage ended with a number of failed units."""

    def spent(self, usd: float) -> None:
        """All loaded calls of the round cost `usd` together."""

    def paid(self, usd: float) -> None:
        """A call that is not loaded yet cost `usd`."""

    def notice(self, message: str) -> None:
        """A warning, or a wait for something outside the round."""


class StagePace:
    """Counts the ended units of a stage from any thread, and tells when a line about them is due.

    Attributes:
        units: The number of units that were pending at the start.
        done: The number of units that ended after the start.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.start(0)

    @property
    def seconds(self) -> float:
        """Seconds since the start of the stage."""
        return time.monotonic() - self._since

    @property
    def rate(self) -> float:
        """Units ended per second since the start of the stage."""
        return self.done / max(self.seconds, 1e-9)

    def start(self, units: int) -> None:
        """Restart the count for a stage with a number of pending units."""
        with self._lock:
            self.units = units
            self.done = 0
            self._since = self._lined = time.monotonic()

    def count(self, units: int) -> bool:
        """Count ended units; return whether a line about them is due.

        A line is due SECONDS_BETWEEN_LINES after the start of the stage or after the last due line.
        """
        with self._lock:
            self.done += units
            now = time.monotonic()
            if now - self._lined < SECONDS_BETWEEN_LINES:
                return False
            self._lined = now
            return True
