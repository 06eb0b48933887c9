"""One batch from submission to results, with the batch's stored record and the requests that wait for answers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Final, NoReturn, TypeVar

from dspy.lm15 import Request

from demur.lanes.batch.endpoint import UNREADABLE, BatchEndpoint, BatchRequest, BatchResult, BatchState
from demur.lanes.chain import LONGEST_BACKOFF_SECONDS, backoff_seconds
from demur.lanes.keys import Mask
from demur.lanes.spec import ModelSpec
from demur.programs.batch_record import BatchRecord, BatchStatus, BatchStore, RequestIndex, ResultPlace, split_id
from demur.programs.call_scope import CallScope, Reply
from demur.programs.errors import ErrorKind, Halted, LaneError

CLOCKS_DIFFER: Final = timedelta(minutes=10)
FIRST_LOOK_SECONDS: Final = 1.0
LONGEST_PROBLEM: Final = 500

Answer = asyncio.Future[tuple[str, BatchResult]]
"""A future for a request's result, with the id of its batch."""
_Found = TypeVar("_Found")


class NeverSentError(Exception):
    """The provider does not have the batch, so its requests may be sent again."""


@dataclass(frozen=True, slots=True)
class BatchContext:
    """Shared state of all batches of one model in one stage."""

    spec: ModelSpec
    scope: CallScope
    """The scope of any of the requests: all have the same round, stage and budget."""
    endpoint: BatchEndpoint
    store: BatchStore
    index: RequestIndex
    mask: Mask

    async def add_lost(self, ids: Collection[str]) -> None:
        """Record requests that may have been billed although no answer came."""
        await asyncio.to_thread(self.store.add_lost, ids)
        self.index.add_lost(ids)

    def refuse_too_many(self, key: str) -> None:
        """Raise LaneError if a request got no result in more than `limits.retries` batches."""
        times = self.index.times_lost(key)
        retries = self.spec.limits.retries
        if times > retries:
            raise LaneError(
                f"this request was sent in {times} batches that gave no result for it and may all be billed; "
                f"limits.retries is {retries}: raise it to send the request again",
                kind=ErrorKind.LOST,
                retryable=False,
                may_be_billed=False,
            )

    async def reply(self, batch_id: str, result: BatchResult, request: Request) -> Reply:
        """Return the reply to `request` in a result, and write `batch_id` into the reply.

        Raises:
            LaneError: the result is an error or unreadable; the error names the batch.
        """
        try:
            return replace(self.endpoint.read(result, request), batch_id=batch_id)
        except UNREADABLE as exc:
            error = LaneError(f"the answer cannot be read: {exc!r}", kind=ErrorKind.PROTOCOL)
        except LaneError as exc:
            error = exc
        useless = result.answered and error.retryable
        if useless:
            await self.add_lost([result.request_id])
        reply = error.reply and replace(error.reply, batch_id=batch_id)
        raise error.restated(
            f"{error} (batch {batch_id})", retry_after_seconds=0.0, reply=reply, may_be_billed=useless
        ) from error


@dataclass(slots=True)
class BatchRun:
    """One batch, from its submission to its results. A batch of an earlier run continues from its stored state.

    `requests` are the requests to send; empty for a batch of an earlier run. `waiting` maps request ids to futures.
    Methods raise `Halted` if the stage must stop, `NeverSentError` if the requests may be sent again, and `LaneError`
    if the requests may have been billed.
    """

    context: BatchContext
    record: BatchRecord
    requests: Sequence[BatchRequest] = ()
    waiting: dict[str, Answer] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def fail(self, why: Exception) -> None:
        """End all waiting requests with an error."""
        self.context.index.settle(self.record.batch_id)
        for answer in self.waiting.values():
            if not answer.done():
                answer.set_exception(_copied(why))
        self.waiting.clear()

    async def answer(self, results: Iterable[tuple[ResultPlace, BatchResult]]) -> None:
        """Deliver results to waiting requests.

        If no request waits for an answer, `context.index` stores the place of the answer.
        """
        batch_id = self.record.batch_id
        index = self.context.index
        index.settle(batch_id)
        for number, (place, result) in enumerate(results):
            answer = self.waiting.pop(result.request_id, None)
            if answer is not None and not answer.done():
                answer.set_result((batch_id, result))
            elif answer is None and result.answered:
                index.answers[split_id(result.request_id)[0]] = place
            if number % 100 == 99:
                await asyncio.sleep(0)

    async def note(self, **known: object) -> None:
        """Change fields of the batch's record, and store the record."""
        self.record = replace(self.record, **known)  # type: ignore[arg-type]
        await asyncio.to_thread(self.context.store.update, self.record)

    async def never_sent(self, why: str) -> NoReturn:
        """Record that the provider does not have the batch.

        Raises:
            NeverSentError: always.
        """
        await self._void(why)
        raise NeverSentError

    async def lost(self, why: str) -> NoReturn:
        """Record that the provider has lost the batch.

        Raises:
            LaneError: always; the batch may be billed.
        """
        await self._void(why)
        raise lost_error(f"batch {self.record.shown_id} is lost: {why}")

    async def _void(self, why: str) -> None:
        await self.add_lost(await asyncio.to_thread(self.context.store.request_ids, self.record.batch_id), why)
        await self.note(status=BatchStatus.VOID, problem=self.kept_problem(why))

    async def add_lost(self, ids: Collection[str], why: str) -> None:
        """Record requests that may have been billed although no answer came, and warn the user."""
        await self.context.add_lost(ids)
        self.context.store.warn(
            f"batch {self.record.shown_id} of {self.record.model}: {len(ids)} of {self.record.requests} requests are "
            f"sent again, at most limits.retries ({self.context.spec.limits.retries}) times each",
            self.kept_problem(why),
        )

    async def listed(self) -> list[BatchState]:
        """Return the provider's batches that were created since this batch was recorded, newest first."""
        since = datetime.fromisoformat(self.record.intended_at) - CLOCKS_DIFFER
        found: list[BatchState] = []
        async with aclosing(self.context.endpoint.listed()) as states:
            async for state in states:
                if state.created < since:
                    break
                found.append(state)
        return found

    async def retried(self, request: Callable[[], Awaitable[_Found]], wanted: str) -> _Found:
        """Return the result of `request`, which asks the endpoint; repeat `request` after retryable errors.

        Raises:
            Halted: the error is not retryable, or no retries are left.
        """
        for attempt in count(1):
            try:
                return await request()
            except LaneError as exc:
                if not exc.retryable or attempt > self.context.spec.limits.retries:
                    raise self.halted(f"could not {wanted}: {exc}") from exc
                await asyncio.sleep(resend_seconds(exc, attempt))
        raise AssertionError("a count has no end")

    async def wait(self, waited: float, share: float = 0.1) -> None:
        """Report the batch's progress, then sleep for `share` times `waited` seconds.

        The shortest sleep is `FIRST_LOOK_SECONDS`, the longest sleep is `limits.batch_poll_seconds`.

        Raises:
            Halted: the wait exceeds `limits.batch_wait_seconds`.
        """
        limits = self.context.spec.limits
        self.context.store.report(self.record, waited)
        if waited > limits.batch_wait_seconds:
            raise self.halted(
                f"has not ended within {limits.batch_wait_seconds:g} s (limits.batch_wait_seconds); it goes on at "
                "the provider"
            )
        await asyncio.sleep(min(limits.batch_poll_seconds, max(FIRST_LOOK_SECONDS, waited * share)))

    def kept_problem(self, said: str) -> str:
        """Return a problem's text for the store, shortened and with keys removed."""
        return self.context.mask.error(said)[:LONGEST_PROBLEM]

    def halted(self, what: str) -> Halted:
        """Return the error for a batch that cannot continue now."""
        return Halted(
            f"model '{self.record.model}': batch {self.record.shown_id} of {self.record.requests} requests "
            f"{self.kept_problem(what)}. The same command "
            "goes on from here; `demur batches list` shows what is under way"
        )


def lost_error(what: str) -> LaneError:
    """Return the error of a request that has no answer and may have been billed."""
    return LaneError(what, kind=ErrorKind.LOST, retry_after_seconds=0.0)


def resend_seconds(error: LaneError, attempt: int) -> float:
    """Return the seconds to wait before a failed request to a provider is repeated."""
    if error.retry_after_seconds is not None:
        return min(error.retry_after_seconds, LONGEST_BACKOFF_SECONDS)
    return backoff_seconds(attempt)


def _copied(error: Exception) -> Exception:
    """Return a copy of an error, because an exception raised twice accumulates tracebacks."""
    return error.restated(str(error)) if isinstance(error, LaneError) else type(error)(*error.args)
