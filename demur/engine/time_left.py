"""The one estimate of the time that a stage and its round take from now on, with its spread."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Final

DEVIATIONS: Final = 1.64
"""Standard deviations to each side: nine intervals in ten hold what comes, if units take as varied times as exponential
ones do."""
LATER: Final = 2.0
"""A unit of a stage to come may take so many times as long as those so far did, or as little."""
WORTH_A_NUMBER: Final = 1.5
"""Where the longest time is at most so many times the shortest one, one number is given."""


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """Seconds at least and at most."""

    low: float
    high: float

    @property
    def likely(self) -> float:
        """The seconds between the two that are as many times the least as the most are of them."""
        return sqrt(self.low * self.high)


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """Time left of the stage that runs and of its round; None while too little is known."""

    stage: TimeBounds | None = None
    round: TimeBounds | None = None


@dataclass(slots=True)
class _Stage:
    """What one stage has to do and did in this run: times in seconds, of one clock.

    `weight` is how many units of models the round was expected to have in it; `done` units ended since `begun`, the
    first of them at `first`, the last at `last`.
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

    def left(self, now: float) -> TimeBounds | None:
        """Return the time that its own units take, None before a second one has ended.

        The pace lies between that of all units since the start, which a first answer makes too slow where many are
        asked at once, and that of the units after the first, which answers that come together make too fast.
        """
        open_units = self.units - self.landed - self.done
        if self.done < 2 or self.ended is not None or open_units < 1:
            return None
        slow = (now - self.begun) / self.done
        fast = min(slow, (self.last - self.first) / (self.done - 1))
        spread = 1 + DEVIATIONS / sqrt(self.done)
        return TimeBounds(open_units * fast / spread, open_units * slow * spread)

    def weight_done(self) -> float:
        """Return the share of its weight that this run has worked off."""
        return self.weight * self.done / self.units if self.units else 0.0


@dataclass(slots=True)
class Estimator:
    """Follows a round from stage to stage; `now` is seconds of one clock throughout.

    What is left is judged by this run alone: the stage that runs by its own units; a stage to come by the units that
    it is expected to have, at the pace of those so far, and by the time that stages took beside their units (planning,
    loading, gates, publishing).
    """

    expected: Mapping[str, float] = field(default_factory=dict)
    _stages: dict[str, _Stage] = field(default_factory=dict)
    _current: str | None = None

    def entered(self, stage: str, now: float) -> None:
        """Start a stage, or go on with it."""
        one = self._stages.setdefault(stage, _Stage(self.expected.get(stage, 0.0), now))
        one.ended = None
        self._current = stage

    def started(self, stage: str, units: int, landed: int, now: float) -> None:
        """Set how many units a stage has in its plan, and how many of them need no work."""
        self.entered(stage, now)
        one = self._stages[stage]
        one.units = units
        one.landed = landed
        one.done = 0
        one.begun = now

    def advanced(self, stage: str, units: int, now: float) -> None:
        """Count units that ended."""
        one = self._stages[stage]
        one.first = one.first if one.done else now
        one.done += units
        one.last = now

    def ended(self, stage: str, now: float) -> None:
        """End a stage for now."""
        self._stages[stage].ended = now

    def left(self, now: float) -> TimeLeft:
        """Return the time left of the stage that runs and of the round."""
        current = None if self._current is None else self._stages[self._current]
        if current is None or not self.expected:
            return TimeLeft(None if current is None else current.left(now))
        stage = current.left(now)
        done = [one for one in self._stages.values() if one.weight and one.done]
        weight = sum(one.weight_done() for one in done)
        later = [name for name in self.expected if name not in self._stages]
        units = sum(self.expected[name] for name in later)
        is_open = current.ended is None and current.units > current.landed + current.done
        if (units and not weight) or (is_open and stage is None):
            return TimeLeft(stage)
        pace = sum(one.last - one.begun for one in done) / weight if weight else 0.0
        rest = units * pace + len(later) * self._beside(now)
        own = stage or TimeBounds(0.0, 0.0)
        return TimeLeft(stage, TimeBounds(own.low + rest / LATER, own.high + rest * LATER) if later or stage else None)

    def _beside(self, now: float) -> float:
        """Return the mean time that stages took beside the units of models."""
        stages = self._stages.values()
        took = sum((now if one.ended is None else one.ended) - one.entered for one in stages)
        return max(took - sum(one.last - one.begun for one in stages if one.weight and one.done), 0.0) / len(stages)


def phrases(left: TimeLeft) -> list[str]:
    """Return what is known of the time left, for a line of progress."""
    spans = ((left.stage, "left"), (left.round, "left of the round"))
    return [f"{said(span)} {of_what}" for span, of_what in spans if span is not None]


def said(span: TimeBounds | None) -> str:
    """Return a length of time as people say it: about so much, or from and to while it is not worth one number."""
    if span is None:
        return ""
    if span.high <= WORTH_A_NUMBER * max(span.low, 1.0):
        return f"about {duration(span.likely)}"
    per, unit = _unit(span.high)
    low, high = (_rounded(seconds / per) for seconds in (span.low, span.high))
    return f"up to {high} {unit}" if float(low) == 0 else f"{low} to {high} {unit}"


def duration(seconds: float) -> str:
    """Return a length of time: seconds below two minutes, minutes below two hours, then hours."""
    per, unit = _unit(seconds)
    return f"{seconds / per:.1f} {unit}" if unit == "h" else f"{seconds / per:.0f} {unit}"


def _unit(seconds: float) -> tuple[float, str]:
    return (1.0, "s") if seconds < 120 else (60.0, "min") if seconds < 7200 else (3600.0, "h")


def _rounded(number: float) -> str:
    """Return a number to two significant digits: more would be a claim."""
    return f"{number:.1f}" if 0 < number < 1 else f"{float(f'{number:.2g}'):.0f}"
