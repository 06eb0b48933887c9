"""Token buckets for rates, and the pace of requests that a provider accepts, learnt from its refusals."""

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

# Token buckets for rates.


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


# The pace of requests that a provider accepts, learnt from the provider's refusals.
#
# A slower pace stays only if the provider then refuses a smaller share of requests.


REMEMBERED: Final = 512
"""The number of latest requests whose outcomes are kept."""
USUAL_SHARE: Final = 0.05
"""If the share of refused requests is smaller than this, requests are not slowed down."""
MARGIN: Final = 1.5
"""A share of refusals up to this multiple of the share at a slower pace does not slow requests down."""
CREDIT: Final = 4.0
"""Refusals beyond those shares before requests slow down; fewer if less than 16 requests are sent at once."""
LEAST_CREDIT: Final = 1.0
"""CREDIT after a slower pace has helped."""
MOST_CREDIT: Final = 6.0
"""CREDIT after a slower pace has not helped."""
KEPT: Final = 0.8
"""The slower pace as a share of the pace that the provider accepted."""
MOST_BLIND_CUT: Final = 0.5
"""The slowest pace as a share of the current pace, while the accepted pace is unknown."""
FEWEST: Final = 10
"""The accepted pace is computed from the latest requests: at least this many, and all of the latest second."""
SLACK: Final = 1.25
"""A request counts as accepted after this multiple of the time that refusals take."""
EXPECTED: Final = 6.0
"""A trial ends when the earlier share would have produced so many refusals."""
ENOUGH: Final = 3
"""A trial ends after so many refusals."""
TRIAL_SECONDS: Final = 4.0
FEWEST_ANSWERS: Final = 5
"""A trial ends after TRIAL_SECONDS with so many answers and no refusal."""
CERTAIN: Final = 6
"""The fewest refusals, at a share above MOST_UNRELATED or twice the earlier share, that slow requests down further."""
MOST_UNRELATED: Final = 0.45
"""Above this share of refusals, requests slow down in any case."""
FALLEN: Final = 0.5
"""A share has fallen if less than this portion of the earlier share is left."""
RETRIAL_SECONDS: Final = 5.0
"""The pause until the next trial after an unhelpful trial; each further unhelpful trial doubles it."""
MOST_DOUBLINGS: Final = 6
FIRST_PER_MINUTE: Final = 60.0
LEAST_PER_MINUTE: Final = 2.0
LEAST_SHARE: Final = 0.5
"""The slowest pace as a share of the answers in the last minute, since most providers count by the minute."""
BURST_SECONDS: Final = 0.1
SEARCH_SECONDS: Final = 1.0
MOST_SEARCH: Final = 2.0
"""The growth of the rate while the limit is unknown: doubled in SEARCH_SECONDS, at most this factor with one answer."""
DOUBLING_SECONDS: Final = 8.0
GROWTH: Final = 0.005
MOST_GROWTH: Final = 0.1
"""The growth of the rate near a limit: GROWTH more with each further answer, at most this with one answer."""
NEAR_SECONDS: Final = 8.0
"""Without a refusal for this time, the limit is not near."""
FAR_SECONDS: Final = 2.0
"""The time in which the rate doubles far from the limit."""


@dataclass(slots=True)
class Permit:
    """Permission to send one request, with the time of the permission, the request's tokens, and the outcome."""

    granted_at: float
    tokens: int = 0
    ended: bool = False
    refused: bool = False


@dataclass(slots=True)
class _Trial:
    """A period with a slower pace.

    The refusals of this period are compared with the refusals between `compared_from` and the start of the trial.
    `per_minute` is the rate before the trial; None if there was no limit. The rate of the trial is computed at the
    start, and again when the outcomes of all earlier requests are known. After the second computation, `measured` is
    true.
    """

    compared_from: float
    per_minute: float | None
    measured: bool = False


class _Record:
    """The latest requests with their outcomes, and the number of answers in the last minute."""

    def __init__(self) -> None:
        self._permits: deque[Permit] = deque(maxlen=REMEMBERED)
        self._seconds: deque[list[int]] = deque(maxlen=61)
        self.known_after = 0.0
        """Seconds after its grant from which a request without a refusal counts as accepted."""

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
        """Return the number of known outcomes of requests sent from `after` to `until`, and of refusals among them."""
        known = refused = 0
        for permit in reversed(self._permits):
            if permit.granted_at <= after:
                break
            if permit.granted_at <= until and self._is_known(permit, now):
                known += 1
                refused += permit.refused
        return known, refused

    def taken_per_minute(self, now: float, until: float) -> tuple[float, bool]:
        """Return the number of accepted requests a minute, and whether this number is reliable.

        The number is computed from the latest requests that were sent up to `until` and have known outcomes. The number
        is reliable if there are at least `FEWEST` such requests.
        """
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
    """The rate at which requests are sent. The rate has no limit until more requests are refused than usual.

    Then a trial begins: requests are sent more slowly than the provider accepted them. The share of refused requests in
    the trial is compared with the share before the trial. If the share in the trial is much smaller, the provider has a
    limit: the pace stays slow, and then grows slowly. Otherwise refusals do not depend on the pace: the provider is
    overloaded, or other users share the provider's limit. The earlier pace then returns, and the share of refusals in
    the trial is the usual share until the next trial.
    """

    def __init__(self, concurrency: int = 16) -> None:
        self.bucket: TokenBucket | None = None
        self._record = _Record()
        self._since = -math.inf
        """The start of the current pace. Outcomes of earlier requests do not count for it."""
        self._trial: _Trial | None = None
        self._cut_from = math.inf
        self._credit = self._most_credit = min(CREDIT, concurrency / CREDIT)
        self._unrelated = self._at_slower_pace = 0.0
        """Refusals in trials, and requests in trials; each trial halves the weight of earlier ones."""
        self._unhelpful_trials = 0
        self._retrial_at = math.inf
        self._searching = True
        self._answers = 0
        """The number of answers since the last refusal."""
        self._grew_at = self._trial_ended_at = 0.0

    def sent(self, permit: Permit) -> None:
        """Note that a request is sent."""
        self._record.add(permit)

    def answered(self, permit: Permit, now: float) -> None:
        """Note an answer, and adapt the pace."""
        permit.ended = True
        self._record.answer(now)
        self._earn()
        if self._trial is not None:
            self._continue_trial(self._trial, now)
        elif self.bucket is not None:
            self._grow(self.bucket, now)

    def refused(self, permit: Permit, now: float) -> bool:
        """Note a refusal, and return whether the pace slows down because of it."""
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
        """Evaluate a trial, and return whether the pace slows down further."""
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
        """Keep the slower pace of a trial, since its share of refusals was smaller."""
        self._unhelpful_trials = 0
        self._retrial_at = math.inf
        self._credit = self._most_credit = LEAST_CREDIT

    def _speed_up(self, trial: _Trial, now: float) -> None:
        """Return to the pace before an unhelpful trial. After the second such trial in a row, remove the limit."""
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
