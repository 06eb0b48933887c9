"""A batch as it is written down, and what is asked of its provider again and again until it is done."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Final, NoReturn, TypeVar

from demur.programs.errors import ErrorKind, Halted, LaneError
from demur.programs.lanes.batch.book import BatchRecord, BatchStatus
from demur.programs.lanes.batch.desk import AskAgain, Desk, backoff_seconds
from demur.programs.lanes.batch.gateway import BatchState

CLOCKS_DIFFER: Final = timedelta(minutes=10)
FIRST_LOOK_SECONDS: Final = 1.0
LONGEST_PROBLEM: Final = 500

_Found = TypeVar("_Found")


@dataclass(slots=True)
class TrackedBatch:
    """One batch, whose record is as the book has it.

    Methods say of what they cannot do that the stage halts (`Halted`), or that the requests are free to be sent again
    (`AskAgain`, or `LaneError` where they may have been paid for).
    """

    desk: Desk
    record: BatchRecord

    @property
    def place(self) -> str:
        """What people look for it by: its name at the provider, else ours."""
        return self.record.provider_batch_id or self.record.batch_id

    async def note(self, **known: object) -> None:
        """Write down what became known of the batch."""
        self.record = replace(self.record, **known)  # type: ignore[arg-type]
        await asyncio.to_thread(self.desk.book.update, self.record)

    async def never_sent(self, why: str) -> NoReturn:
        """Note that the provider never had the batch; raises AskAgain."""
        await self._give_up(why)
        raise AskAgain

    async def lost(self, why: str) -> NoReturn:
        """Note that the provider has lost the batch, which may be on its bill; raises the LaneError of its requests."""
        await self._give_up(why)
        raise lost_error(f"batch {self.place} is lost: {why}")

    async def _give_up(self, why: str) -> None:
        ids = await asyncio.to_thread(self.desk.book.request_ids, self.record.batch_id)
        await self.forfeit(ids, why)
        await self.note(status=BatchStatus.VOID, problem=self.kept_problem(why))

    async def forfeit(self, ids: Collection[str], why: str) -> None:
        """Note, and let people know, that nothing comes of requests that may have been paid for."""
        await self.desk.forfeit(ids)
        self.desk.book.warn(
            f"batch {self.place} of {self.record.model}: {self.kept_problem(why)}; {len(ids)} of "
            f"{self.record.requests} requests are sent again, at most limits.retries ({self.desk.spec.limits.retries}) "
            "times each"
        )

    async def listed(self) -> list[BatchState]:
        """Return what the provider lists of the time since the batch was written down, newest first."""
        since = datetime.fromisoformat(self.record.intended_at) - CLOCKS_DIFFER
        found: list[BatchState] = []
        async with aclosing(self.desk.gateway.listed()) as states:
            async for state in states:
                if state.created < since:
                    break
                found.append(state)
        return found

    async def patiently(self, what: Callable[[], Awaitable[_Found]], wanted: str) -> _Found:
        """Return what a request brings, asked again while that can help.

        Raises:
            Halted: it does not help.
        """
        for attempt in count(1):
            try:
                return await what()
            except LaneError as exc:
                if not exc.retryable or attempt > self.desk.spec.limits.retries:
                    raise self.halted(f"could not {wanted}: {exc}") from exc
                await asyncio.sleep(backoff_seconds(exc, attempt))
        raise AssertionError("a count has no end")

    async def wait(self, waited: float, share: float = 0.1) -> None:
        """Let people know how far the batch is, then sleep for a share of what was waited so far, within bounds.

        Raises:
            Halted: it was waited for long enough.
        """
        limits = self.desk.spec.limits
        self.desk.book.tell(self.record, waited)
        if waited > limits.batch_wait_seconds:
            raise self.halted(
                f"has not ended within {limits.batch_wait_seconds:g} s (limits.batch_wait_seconds); it goes on at "
                "the provider"
            )
        await asyncio.sleep(min(limits.batch_poll_seconds, max(FIRST_LOOK_SECONDS, waited * share)))

    def kept_problem(self, said: str) -> str:
        """Return a problem as it may be written down."""
        return self.desk.mask.error(said)[:LONGEST_PROBLEM]

    def halted(self, what: str) -> Halted:
        """Return the error that says why the batch cannot go on now."""
        return Halted(
            f"model '{self.record.model}': batch {self.place} of {self.record.requests} requests "
            f"{self.kept_problem(what)}. The same command "
            "goes on from here; `demur batches list` shows what is under way"
        )


def lost_error(what: str) -> LaneError:
    """Return the error of a request that may have been paid for and of which nothing came."""
    return LaneError(what, kind=ErrorKind.LOST, retry_after_seconds=0.0)
