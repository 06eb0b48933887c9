"""Token buckets: for rates of this process, and for those that all processes share."""

import math
from dataclasses import dataclass
from typing import Final

PORTION_SECONDS: Final = 0.5
"""So many seconds' worth of a shared allowance one process holds at most."""
POLL_SECONDS: Final = 0.02


@dataclass(slots=True)
class TokenBucket:
    """An allowance that fills evenly, up to so many seconds' worth; an overdraft must be earned first."""

    per_minute: float
    least: float = 0.0
    burst_seconds: float = 1.0
    level: float = 0.0
    at: float = 0.0

    def __post_init__(self) -> None:
        self.level = self._most

    @property
    def _most(self) -> float:
        return max(self.least, self.per_minute / 60 * self.burst_seconds)

    def wait_seconds(self, now: float) -> float:
        """Fill up to now, and return how long until something may be taken."""
        self.level = min(self._most, self.level + max(0.0, now - self.at) * self.per_minute / 60)
        self.at = now
        return max(0.0, self.least - self.level) * 60 / self.per_minute

    def give_back(self, amount: float) -> None:
        """Return an unused amount; a negative amount takes more."""
        self.level = min(self._most, self.level + amount)


@dataclass(slots=True)
class LeasedBucket:
    """This process's portion of an allowance shared by all processes, fetched before it is needed.

    `target` is its wanted size: more if it ran out since the last portion, else half more than the use. It is at least
    one, so that a call after a pause need not wait, and at most half a second's worth of the whole.
    """

    per_minute: float
    level: float = 0.0
    target: float = 0.0
    _held: float = 0.0

    @property
    def _most(self) -> float:
        return max(1.0, self.per_minute / 60 * PORTION_SECONDS)

    def wait_seconds(self, now: float) -> float:
        """Return how long until there may be something to take."""
        return 0.0 if self.level >= 1 else POLL_SECONDS

    def give_back(self, amount: float) -> None:
        """Return an unused amount; a negative amount takes more."""
        self.level += amount

    def wanted(self) -> float:
        """Return the amount to fetch now; below 0, the amount to give back for others."""
        used = self._held - self.level
        grown = 2 * self.target if self.level < 1 else 1.5 * used
        self.target = min(self._most, max(1.0, grown)) if self.target else self._most
        self._held = self.level
        return float(math.floor(self.target - self.level))

    def fetched(self, amount: float) -> None:
        """Add a portion, or subtract a returned amount."""
        self.level += amount
        self._held += amount
