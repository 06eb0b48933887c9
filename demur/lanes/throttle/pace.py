"""The pace of requests that a provider accepts, learnt from the provider's refusals.

A request counts as accepted if it is not refused before a later request is. So the time that answers take has no
influence.
"""

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

from demur.lanes.throttle.rates import TokenBucket

PATIENCE: Final = 5.0
"""So many refusals beyond the usual share cut the pace: fewer would often be chance, more would burden the provider."""
USUAL_SHARE: Final = 0.1
"""The usual share of refusals at first: providers that are far from a limit refuse a few of a hundred requests."""
MARGIN: Final = 1.5
"""The usual share as a multiple of a share that cuts did not prevent: with less, chance alone soon cuts again."""
KEPT: Final = 0.85
"""What a cut keeps of the accepted pace: the provider's allowance recovers from the requests before."""
DOUBLING_SECONDS: Final = 15.0
"""The time from a cut to twice its pace: a shorter time brings more refusals, a longer one leaves more unused."""
LEAST_PER_MINUTE: Final = 2.0
"""The slowest pace: with a slower one, the end of an outage would be noticed late."""


@dataclass(slots=True)
class Permit:
    """Permission to send one request, with the time of the permission and the request's tokens."""

    granted_at: float
    tokens: int = 0
    refused: bool = False


class Pace:
    """The rate at which requests are sent. It has no limit until more requests are refused than usual.

    Then the pace is cut to what the provider accepted, and grows from there. If more requests than usual are refused
    even below the accepted pace, the refusals have another cause, such as a lack of capacity: the limit is removed, and
    their share is the usual share from then on.
    """

    def __init__(self) -> None:
        self.bucket: TokenBucket | None = None
        self._sent: deque[Permit] = deque(maxlen=512)
        self._usual = USUAL_SHARE
        self._excess = 0.0
        """Refusals beyond the usual share. Never below 0, so that a good time does not hide a bad one after it."""
        self._accepted = self._kept = 0.0
        """Requests a minute that were accepted at the last cut, and that the cut left."""
        self._unprevented = 0
        """Times that more were refused than usual below the accepted pace."""
        self._changed_at = self._decided_until = -math.inf

    def sent(self, permit: Permit) -> None:
        """Note that a request is sent."""
        self._sent.append(permit)

    def answered(self, now: float) -> None:
        """Note an answer: a pace that holds requests up grows, the faster the longer ago the last cut was."""
        if self.bucket is None or self.bucket.wait_seconds(now) == 0:
            return
        passed = (now - self._changed_at) / DOUBLING_SECONDS
        self.bucket.per_minute = max(self.bucket.per_minute, self._kept * (1 + passed * passed))
        if self.bucket.per_minute > self._accepted:  # the cut has helped, so the provider has a limit
            self._usual, self._unprevented = 0.0, 0

    def refused(self, permit: Permit, now: float) -> bool:
        """Note a refusal, and return whether the pace is cut because of it."""
        permit.refused = True
        # A request of an earlier pace, or of a time that is forgotten, says nothing about this pace.
        if permit.granted_at <= self._changed_at or permit.granted_at < self._sent[0].granted_at:
            return False
        decided = self._sent_between(self._decided_until, permit.granted_at)
        self._decided_until = max(self._decided_until, permit.granted_at)
        self._excess = max(0.0, self._excess - self._usual * _accepted(decided)) + 1 - self._usual
        if self._excess <= PATIENCE:
            return False
        tried = self._sent_between(self._changed_at, permit.granted_at)
        share = 1 - _accepted(tried) / len(tried)
        self._changed_at = now
        self._excess = 0.0 if self._usual else PATIENCE / 2  # a limit that is known needs less proof
        # Where most are refused, the limit may lie far below what the last cut could know.
        if self.bucket is not None and self.bucket.per_minute < self._accepted and share < 0.5:
            self._unprevented += 1
        if self._unprevented == 2:  # the first may come from an accepted pace that held the provider's first burst
            self.bucket, self._usual, self._unprevented = None, MARGIN * share, 0
            return False
        self._cut(permit, now)
        return True

    def _cut(self, permit: Permit, now: float) -> None:
        """Cut the pace to a little less than what the provider accepted in the latest second."""
        latest = self._sent_between(permit.granted_at - 1, permit.granted_at)
        if len(latest) < 2 * PATIENCE:  # a slow pace: too few in a second to tell a rate
            latest = self._sent_between(-math.inf, permit.granted_at)[-int(2 * PATIENCE) :]
        # At the very first, all requests are sent at once: they took as long as their first refusal.
        span = max(permit.granted_at - latest[0].granted_at, now - permit.granted_at, 0.001)
        self._accepted = 60 * max(1, _accepted(latest)) / span
        pace = self._accepted if self.bucket is None else min(self._accepted, self.bucket.per_minute)
        self._kept = max(LEAST_PER_MINUTE, KEPT * pace)
        self.bucket = TokenBucket(self._kept, least=1.0, at=now)
        self.bucket.level = 0.0

    def _sent_between(self, after: float, until: float) -> list[Permit]:
        return [permit for permit in self._sent if after < permit.granted_at <= until]


def _accepted(permits: list[Permit]) -> int:
    return sum(not permit.refused for permit in permits)
