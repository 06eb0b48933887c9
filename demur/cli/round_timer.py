"""The place of a round among its stages, and an estimate of the time that the rest takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

LEAST_SHARE: Final = 0.02
"""Of the units that a run has to do; from fewer nothing is said of the rest."""


@dataclass(slots=True)
class _Stage:
    """One stage: seconds spent on it so far, of which `working` on its units; `weight` is what the plan expects of it.

    `done` counts units that ended in this run, of the `units` of the plan that it came to.
    """

    weight: float
    since: float | None = None
    units: int = 0
    landed: int = 0
    done: int = 0
    took: float = 0.0
    working: float = 0.0
    started: float = 0.0

    def seconds(self, now: float) -> float:
        return self.took + (0.0 if self.since is None else now - self.since)

    def share(self) -> float:
        """Return the share of its units that have ended, in this run or before it."""
        return (self.landed + self.done) / self.units if self.units else 0.0


@dataclass(slots=True)
class RoundTimer:
    """Follows a round from stage to stage; `now` is seconds of one clock throughout.

    What is left is judged by this run alone. A unit of what comes is taken to last as long as units did so far, and a
    stage to take as long beside its units (planning, loading, gates, publishing) as stages did so far.
    """

    expected: Mapping[str, float]
    _stages: dict[str, _Stage] = field(default_factory=dict)
    _entered: list[str] = field(default_factory=list)
    _current: str | None = None
    _last_end: float | None = None

    def __post_init__(self) -> None:
        self._stages = {name: _Stage(weight) for name, weight in self.expected.items()}

    def place(self) -> str:
        """Return which stage the round is at, of how many; nothing before the first."""
        if self._current is None:
            return ""
        return f"stage {list(self._stages).index(self._current) + 1} of {len(self._stages)}"

    def entered(self, stage: str, now: float) -> None:
        """Start or continue a stage; what passed since the last one ended counts to it."""
        one = self._stages.setdefault(stage, _Stage(0.0))
        self._current = stage
        if stage not in self._entered:
            self._entered.append(stage)
        if one.since is None:
            one.since = now if self._last_end is None else self._last_end

    def started(self, stage: str, units: int, landed: int, now: float) -> None:
        """Set how many units a stage has in its plan, and how many of them need no work."""
        self.entered(stage, now)
        one = self._stages[stage]
        one.units, one.landed, one.done, one.started = units, landed, 0, now

    def advanced(self, stage: str, units: int, now: float) -> float:
        """Count units that ended; return how many end in a second."""
        one = self._stages[stage]
        one.done += units
        one.working = now - one.started
        return one.done / max(one.working, 1e-9)

    def ended(self, stage: str, now: float) -> float:
        """End a stage for now; return the seconds that it took."""
        one = self._stages[stage]
        one.took, one.since = one.seconds(now), None
        self._last_end = now
        return one.took

    def seconds(self, stage: str, now: float) -> float:
        """Return the seconds that a stage has taken so far."""
        return self._stages[stage].seconds(now)

    def seconds_left(self, now: float) -> float | None:
        """Return about how many seconds the rest of the round takes, None while too little is known."""
        entered = [self._stages[name] for name in self._entered]
        done = sum(one.weight * one.done / one.units for one in entered if one.units)
        left = sum(one.weight for one in self._stages.values())
        left -= sum(one.weight * (1.0 if one.since is None else one.share()) for one in entered)
        if done <= LEAST_SHARE * (done + left):
            return None
        working = sum(one.working for one in entered if one.weight)
        beside = sum(one.seconds(now) - (one.working if one.weight else 0.0) for one in entered)
        return left * working / done + (len(self._stages) - len(entered)) * beside / len(entered)
