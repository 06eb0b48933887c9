"""A provider's accepted pace of requests, learnt from its refusals: slower only where slower helps."""

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

from demur.lanes.throttle.rates import TokenBucket

REMEMBERED: Final = 512
"""So many requests are looked back on at most."""
USUAL_SHARE: Final = 0.05
"""Fewer refusals than this share are nothing to slow down for, whatever they depend on."""
MARGIN: Final = 1.5
"""Nor are fewer than so many times the share that was refused at a slower pace as well."""
CREDIT: Final = 4.0
"""So many refusals may come beyond that before requests are slowed down, fewer where less than 16 are sent at once,"""
LEAST_CREDIT: Final = 1.0
"""and so many where slowing down has helped,"""
MOST_CREDIT: Final = 6.0
"""or has not."""
KEPT: Final = 0.8
"""Slower is this share of what the provider took."""
MOST_BLIND_CUT: Final = 0.5
"""How much slower at most where too little is known of what it took."""
FEWEST: Final = 10
"""What it took is known from so many requests, and from those of a second."""
SLACK: Final = 1.25
"""A request that was not refused in so many times the time that refusals take was taken."""
EXPECTED: Final = 6.0
"""A trial ends once so many refusals would have come at the share before it,"""
ENOUGH: Final = 3
"""or so many have come,"""
TRIAL_SECONDS: Final = 4.0
FEWEST_ANSWERS: Final = 5
"""or so many seconds have brought so many answers and no refusal."""
CERTAIN: Final = 6
"""So many refusals, more than the half or twice the share before, slow requests down further."""
MOST_UNRELATED: Final = 0.45
"""Where a larger share is refused, slower is right in any case."""
FALLEN: Final = 0.5
"""A share has fallen where less than this is left of it."""
RETRIAL_SECONDS: Final = 5.0
"""How long a finding that slower does not help holds at first; every further one doubles it."""
MOST_DOUBLINGS: Final = 6
FIRST_PER_MINUTE: Final = 60.0
LEAST_PER_MINUTE: Final = 2.0
LEAST_SHARE: Final = 0.5
"""The rate stays above this share of what was answered in the last minute: most who throttle count by the minute."""
BURST_SECONDS: Final = 0.1
SEARCH_SECONDS: Final = 1.0
MOST_SEARCH: Final = 2.0
"""How fast the rate grows where the limit is not known: doubled in so long, and so many times with one answer."""
DOUBLING_SECONDS: Final = 8.0
GROWTH: Final = 0.005
MOST_GROWTH: Final = 0.1
"""How fast it grows near a limit: with every further answer by so much more, up to so much with one."""
NEAR_SECONDS: Final = 8.0
"""A limit that was not met after so long is not near."""
FAR_SECONDS: Final = 2.0
"""Then the rate doubles in so long."""


@dataclass(slots=True)
class Permit:
    """Permission to send one request: its time of granting, tokens and outcome."""

    granted_at: float
    tokens: int = 0
    ended: bool = False
    refused: bool = False


@dataclass(slots=True)
class _Trial:
    """A time at a slower pace, whose refusals are compared with those from `compared_from` on.

    `per_minute` is the earlier rate, None if unlimited. `measured` is True if the trial's rate comes from requests with
    known outcomes.
    """

    compared_from: float
    per_minute: float | None
    measured: bool = False


class _Record:
    """The latest requests and their outcomes, and the number of answers in the last minute."""

    def __init__(self) -> None:
        self._permits: deque[Permit] = deque(maxlen=REMEMBERED)
        self._seconds: deque[list[int]] = deque(maxlen=61)
        self.known_after = 0.0
        """So long after it was granted a request is known to be taken or refused."""

    def add(self, permit: Permit) -> None:
        self._permits.append(permit)

    def answer(self, now: float) -> None:
        second = int(now)
        if not self._seconds or self._seconds[-1][0] != second:
            self._seconds.append([second, 0])
        self._seconds[-1][1] += 1

    def refusal(self, permit: Permit, now: float) -> None:
        permit.refused = True
        took = SLACK * (now - permit.granted_at)
        self.known_after = max(took, 0.8 * self.known_after + 0.2 * took)

    def answered_in_last_minute(self, now: float) -> int:
        return sum(count for second, count in self._seconds if second >= int(now) - 60)

    def counts(self, now: float, after: float, until: float = math.inf) -> tuple[int, int]:
        """Return how many that were granted in a time are known to be taken or refused, and how many were refused."""
        known = refused = 0
        for permit in reversed(self._permits):
            if permit.granted_at <= after:
                break
            if permit.granted_at <= until and self._is_known(permit, now):
                known += 1
                refused += permit.refused
        return known, refused

    def taken_per_minute(self, now: float, until: float) -> tuple[float, bool]:
        """Return how many of those granted up to some time were taken, and whether enough were sent to know it."""
        known = taken = 0
        first = last = until
        for permit in reversed(self._permits):
            if permit.granted_at > until or not self._is_known(permit, now):
                continue
            last = permit.granted_at if not known else last
            if known >= FEWEST and permit.granted_at < last - 1:
                break
            known += 1
            taken += not permit.refused
            first = permit.granted_at
        return 60 * taken / max(1.0, last - first), known >= FEWEST

    def _is_known(self, permit: Permit, now: float) -> bool:
        return permit.ended or permit.granted_at <= now - self.known_after


class Pace:
    """The rate at which requests are sent; unlimited until more of them are refused than usual.

    Then they are sent more slowly than the provider took them, as a trial. If a smaller share is refused, there is a
    limit: the pace stays, and grows from there. If the share is the same, refusals do not depend on the pace
    (the provider is overloaded, or others use its limit): the pace of before is taken up again, and so
    many refusals are usual from then on, until the next trial.
    """

    def __init__(self, concurrency: int = 16) -> None:
        self.bucket: TokenBucket | None = None
        self._record = _Record()
        self._since = -math.inf
        """Since when requests are sent as they are; those granted before tell nothing of it."""
        self._trial: _Trial | None = None
        self._cut_from = math.inf
        self._credit = self._most_credit = min(CREDIT, concurrency / CREDIT)
        self._unrelated = self._at_slower_pace = 0.0
        """Refusals in trials and requests in trials, older ones counting less."""
        self._unhelpful_trials = 0
        self._retrial_at = math.inf
        self._searching = True
        self._answers = 0
        """Since the last refusal."""
        self._grew_at = self._trial_ended_at = 0.0

    def sent(self, permit: Permit) -> None:
        """Note that a request is sent."""
        self._record.add(permit)

    def answered(self, permit: Permit, now: float) -> None:
        """Note an answer."""
        permit.ended = True
        self._record.answer(now)
        self._earn()
        if self._trial is not None:
            self._continue_trial(self._trial, now)
        elif self.bucket is not None:
            self._grow(self.bucket, now)

    def refused(self, permit: Permit, now: float) -> bool:
        """Note a refusal, and return whether requests are sent more slowly because of it."""
        permit.ended = True
        self._record.refusal(permit, now)
        if permit.granted_at <= self._since:
            return False
        self._answers = 0
        if self._trial is not None:
            return self._continue_trial(self._trial, now)
        self._earn()
        self._credit -= 1
        if self._credit >= 0 and now < self._retrial_at:
            return False
        self._slow_down(_Trial(self._since, self.bucket.per_minute if self.bucket else None), now)
        return True

    def _earn(self) -> None:
        unrelated = self._unrelated / self._at_slower_pace if self._at_slower_pace else 0.0
        self._credit = min(self._most_credit, self._credit + max(USUAL_SHARE, MARGIN * unrelated))

    def _slow_down(self, trial: _Trial, now: float) -> None:
        """Send more slowly than the accepted pace, estimated at first from the outcomes so far."""
        self._since = now
        self._trial = trial
        self._cut_from = self.bucket.per_minute if self.bucket else math.inf
        self.bucket = TokenBucket(FIRST_PER_MINUTE, least=1.0, burst_seconds=BURST_SECONDS, at=now)
        self.bucket.level = 0.0
        self.bucket.per_minute = self._slower(now)

    def _slower(self, now: float) -> float:
        taken, known = self._record.taken_per_minute(now, self._since)
        slower = KEPT * taken
        least = FIRST_PER_MINUTE
        self._searching = not known
        if self._cut_from < math.inf:
            least = max(LEAST_PER_MINUTE, LEAST_SHARE * self._record.answered_in_last_minute(now))
            self._searching = not known or slower < least
            slower = slower if known else max(slower, MOST_BLIND_CUT * self._cut_from)
        return max(LEAST_PER_MINUTE, min(KEPT * self._cut_from, max(least, slower)))

    def _continue_trial(self, trial: _Trial, now: float) -> bool:
        """Evaluate a trial so far, and return whether requests are slowed down further."""
        assert self.bucket is not None
        if not trial.measured and now >= self._since + self._record.known_after:
            trial.measured = True
            self.bucket.per_minute = self._slower(now)
        sent, refused = self._record.counts(now, self._since)
        sent_before, refused_before = self._record.counts(now, trial.compared_from, self._since)
        before = max(1, refused_before) / max(1, sent_before)
        if not self._is_over(sent, refused, before, now):
            return False
        share = refused / sent
        if share > MOST_UNRELATED or share > before / FALLEN:
            if refused < CERTAIN:
                return False
            self._slow_down(_Trial(trial.compared_from if before > share else self._since, trial.per_minute), now)
            return True
        self._unrelated = self._unrelated / 2 + refused
        self._at_slower_pace = self._at_slower_pace / 2 + sent
        self._trial = None
        self._grew_at = self._trial_ended_at = now
        if before > MOST_UNRELATED or share < FALLEN * before:
            self._keep_slow()
        else:
            self._speed_up(trial, now)
        return False

    def _is_over(self, sent: int, refused: int, before: float, now: float) -> bool:
        if sent >= EXPECTED / before or refused >= ENOUGH:
            return True
        return not refused and sent >= FEWEST_ANSWERS and now - self._since > TRIAL_SECONDS

    def _keep_slow(self) -> None:
        """Keep the slower pace of a trial, since the provider refused a smaller share of requests during it."""
        self._unhelpful_trials = 0
        self._retrial_at = math.inf
        self._credit = self._most_credit = LEAST_CREDIT

    def _speed_up(self, trial: _Trial, now: float) -> None:
        """Return to the pace before an unhelpful trial; to no limit after the second such trial in a row."""
        self._unhelpful_trials += 1
        self._retrial_at = now + RETRIAL_SECONDS * 2 ** min(self._unhelpful_trials, MOST_DOUBLINGS)
        self._credit = self._most_credit = MOST_CREDIT
        self._since = now
        self._searching = True
        if trial.per_minute is None or self._unhelpful_trials > 1:
            self.bucket = None
        elif self.bucket is not None:
            self.bucket.per_minute = trial.per_minute

    def _grow(self, bucket: TokenBucket, now: float) -> None:
        """Send faster with an answer, as long as the pace delays requests."""
        self._answers += 1
        doubling = SEARCH_SECONDS
        most = MOST_SEARCH
        if not self._searching:
            near = now - self._trial_ended_at < NEAR_SECONDS
            doubling = DOUBLING_SECONDS if near else FAR_SECONDS
            most = 1 + min(MOST_GROWTH, GROWTH * self._answers)
        passed = min(now - self._grew_at, doubling)
        if bucket.wait_seconds(now) > 0:
            bucket.per_minute *= min(most, 2 ** (passed / doubling))
        self._grew_at = now
