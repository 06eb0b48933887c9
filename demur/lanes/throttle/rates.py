"""Token buckets for the rates of this process, and for rates that all processes share."""

import math
from dataclasses import dataclass
from typing import Final

PORTION_SECONDS: Final = 0.5
"""The largest portion of a shared allowance that one process holds, in seconds of the whole rate."""
POLL_SECONDS: Final = 0.02


@dataclass(slots=True)
class TokenBucket:
    """An allowance that grows evenly by `per_minute`, up to the amount of `burst_seconds`.

    `level` is the present allowance, and may be below 0. While `level` is below `least`, requests wait.
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
        """Fill the bucket up to now, and return the seconds until a request may take from it."""
        self.level = min(self._most, self.level + max(0.0, now - self.at) * self.per_minute / 60)
        self.at = now
        return max(0.0, self.least - self.level) * 60 / self.per_minute

    def give_back(self, amount: float) -> None:
        """Give back an unused amount. A negative `amount` is taken in addition."""
        self.level = min(self._most, self.level + amount)


@dataclass(slots=True)
class LeasedBucket:
    """This process's portion of an allowance that all processes share. The portion is fetched in advance.

    `target` is the size of the next portion. If the last portion was used up, `target` doubles; otherwise it is 1.5
    times the used amount. `target` is at least 1, so that a request after a pause need not wait. `target` is at most
    the amount that all processes together may use in half a second.
    """

    per_minute: float
    level: float = 0.0
    target: float = 0.0
    _held: float = 0.0

    @property
    def _most(self) -> float:
        return max(1.0, self.per_minute / 60 * PORTION_SECONDS)

    def wait_seconds(self, now: float) -> float:
        """Return the seconds until a request may take from the bucket."""
        return 0.0 if self.level >= 1 else POLL_SECONDS

    def give_back(self, amount: float) -> None:
        """Give back an unused amount. A negative `amount` is taken in addition."""
        self.level += amount

    def wanted(self) -> float:
        """Return the amount to fetch now; a negative number is an amount to give back."""
        used = self._held - self.level
        grown = 2 * self.target if self.level < 1 else 1.5 * used
        self.target = min(self._most, max(1.0, grown)) if self.target else self._most
        self._held = self.level
        return float(math.floor(self.target - self.level))

    def fetched(self, amount: float) -> None:
        """Add a received portion, or subtract a returned amount."""
        self.level += amount
        self._held += amount
