"""The place of a round among its stages, and the time that each has taken."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Stage:
    """Times of one stage: its seconds until `since`, from which on it runs, and units done since its work `started`."""

    since: float | None = None
    done: int = 0
    took: float = 0.0
    started: float = 0.0

    def seconds(self, now: float) -> float:
        return self.took + (0.0 if self.since is None else now - self.since)


@dataclass(slots=True)
class RoundTimer:
    """Follows a round through its `expected` stages; `now` is seconds of one clock throughout."""

    expected: Iterable[str]
    _stages: dict[str, _Stage] = field(default_factory=dict)
    _current: str | None = None
    _last_end: float | None = None

    def __post_init__(self) -> None:
        self._stages = {name: _Stage() for name in self.expected}

    def place(self) -> str:
        """Return which stage the round is at, of how many; nothing before the first."""
        if self._current is None:
            return ""
        return f"stage {list(self._stages).index(self._current) + 1} of {len(self._stages)}"

    def entered(self, stage: str, now: float) -> None:
        """Start or continue a stage; the time since the last stage ended counts towards it."""
        one = self._stages.setdefault(stage, _Stage())
        self._current = stage
        if one.since is None:
            one.since = now if self._last_end is None else self._last_end

    def started(self, stage: str, now: float) -> None:
        """Begin with the units of a stage."""
        self.entered(stage, now)
        one = self._stages[stage]
        one.done = 0
        one.started = now

    def advanced(self, stage: str, units: int, now: float) -> float:
        """Count units that ended; return how many end in a second."""
        one = self._stages[stage]
        one.done += units
        return one.done / max(now - one.started, 1e-9)

    def ended(self, stage: str, now: float) -> float:
        """End a stage for now and return its seconds."""
        one = self._stages[stage]
        one.took = one.seconds(now)
        one.since = None
        self._last_end = now
        return one.took

    def seconds(self, stage: str, now: float) -> float:
        """Return the seconds that a stage has taken so far."""
        return self._stages[stage].seconds(now)
