"""Rates: token buckets for configured limits, and the adaptive rate that follows a provider's throttling."""

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

PORTION_SECONDS: Final = 0.5
"""So many seconds' worth of a shared allowance one process holds at most."""
POLL_SECONDS: Final = 0.02
RATE_KEPT: Final = 0.7
"""What is left of the rate after the provider said that it is too fast."""
LEAST_PER_MINUTE: Final = 2.0
LEAST_SHARE: Final = 0.5
"""The rate stays above this share of what was answered in the last minute: most who throttle count by the minute."""
SEARCH_SECONDS: Final = 1.0
MOST_SEARCH: Final = 2.0
"""How fast the rate grows at first: doubled in so long at most, and so many times with one answer."""
DOUBLING_SECONDS: Final = 8.0
MOST_GROWTH: Final = 1.1
"""How fast it grows once the provider has throttled again."""


@dataclass(slots=True)
class TokenBucket:
    """An allowance that fills evenly, up to so many seconds' worth; what is taken beyond it must be earned first."""

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
        """Return what was taken and not used; a negative amount takes more."""
        self.level = min(self._most, self.level + amount)


@dataclass(slots=True)
class LeasedBucket:
    """An allowance that all processes share, of which this one holds a portion, fetched before it is needed.

    `target` is what it likes to hold: more where it ran out since the last portion, else half more than it used. It is
    never less than one, so that a call after a pause need not wait, nor more than half a second's worth of the whole.
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
        """Return what was taken and not used; a negative amount takes more."""
        self.level += amount

    def wanted(self) -> float:
        """Return how much to fetch now, below 0 how much to give back, so that others may have it."""
        used = self._held - self.level
        grown = 2 * self.target if self.level < 1 else 1.5 * used
        self.target = min(self._most, max(1.0, grown)) if self.target else self._most
        self._held = self.level
        return float(math.floor(self.target - self.level))

    def fetched(self, amount: float) -> None:
        """Add a portion, or take off what was given back."""
        self.level += amount
        self._held += amount


class AdaptiveRate:
    """The rate of requests that a provider takes; unlimited until it throttles for the first time.

    Then it is what was answered just before, less with every further throttling, and more while answers come and the
    pace is what holds requests up.
    """

    def __init__(self) -> None:
        self.bucket: TokenBucket | None = None
        self._seconds: deque[list[int]] = deque(maxlen=61)
        self._began: float | None = None
        self._grew_at = 0.0
        self._growth = SEARCH_SECONDS, MOST_SEARCH

    def on_answer(self, now: float) -> None:
        """Count an answer."""
        second = int(now)
        self._began = now if self._began is None else self._began
        if not self._seconds or self._seconds[-1][0] != second:
            self._seconds.append([second, 0])
        self._seconds[-1][1] += 1
        if self.bucket is not None:
            doubling, most = self._growth
            passed = min(now - self._grew_at, doubling)
            if self.bucket.wait_seconds(now) > 0:
                self.bucket.per_minute *= min(most, 2 ** (passed / doubling))
            self._grew_at = now

    def on_throttle(self, now: float) -> None:
        """Lower the rate: the provider throttled."""
        if self.bucket is None:
            before = max(int(now) - 1, self._began or now)
            answered = self._count(int(before)) / max(1.0, now - before)
            self.bucket = TokenBucket(60 * max(1.0, answered), least=1.0, burst_seconds=0.1)
        else:
            self._growth = DOUBLING_SECONDS, MOST_GROWTH
        known = self.bucket.per_minute
        least = max(LEAST_PER_MINUTE, LEAST_SHARE * self._count(int(now) - 60))
        self.bucket.per_minute = min(known, max(least, known * RATE_KEPT))
        self.bucket.level, self.bucket.at = 0.0, now

    def _count(self, since: int) -> int:
        return sum(count for second, count in self._seconds if second >= since)
