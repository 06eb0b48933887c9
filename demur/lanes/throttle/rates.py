"""Token buckets for the rates of this process, and for rates that all processes share."""

import math
from dataclasses import dataclass
from typing import Final

PORTION_SECONDS: Final = 0.5
"""The largest portion of a shared allowance that one process holds, in seconds of the whole rate."""
POLL_SECONDS: Final = 0.02


@dataclass(slots=True)
class TokenBucket:
    """An allowance that fills evenly up to `burst_seconds` of its rate.

    `level` may fall below 0. Nothing may be taken while `level` is below `least`.
    """

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
        """Fill the bucket up to now, and return the seconds until something may be taken."""
        self.level = min(self._most, self.level + max(0.0, now - self.at) * self.per_minute / 60)
        self.at = now
        return max(0.0, self.least - self.level) * 60 / self.per_minute

    def give_back(self, amount: float) -> None:
        """Return an unused amount; a negative amount takes more."""
        self.level = min(self._most, self.level + amount)


@dataclass(slots=True)
class LeasedBucket:
    """This process's portion of an allowance shared by all processes, fetched in advance.

    `target` is the wanted size: twice the last target if the portion ran out, else 1.5 times the amount used. It is at
    least 1, so that a request after a pause need not wait, and at most half a second of the whole rate.
    """

    per_minute: float
    level: float = 0.0
    target: float = 0.0
    _held: float = 0.0

    @property
    def _most(self) -> float:
        return max(1.0, self.per_minute / 60 * PORTION_SECONDS)

    def wait_seconds(self, now: float) -> float:
        """Return the seconds until something may be taken."""
        return 0.0 if self.level >= 1 else POLL_SECONDS

    def give_back(self, amount: float) -> None:
        """Return an unused amount; a negative amount takes more."""
        self.level += amount

    def wanted(self) -> float:
        """Return the amount to fetch now; negative if an amount is to be returned."""
        used = self._held - self.level
        grown = 2 * self.target if self.level < 1 else 1.5 * used
        self.target = min(self._most, max(1.0, grown)) if self.target else self._most
        self._held = self.level
        return float(math.floor(self.target - self.level))

    def fetched(self, amount: float) -> None:
        """Add a received portion, or subtract a returned amount."""
        self.level += amount
        self._held += amount
