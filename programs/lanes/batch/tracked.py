"""A batch as it is written down, and what is asked of its provider again and again until it is done."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, NoReturn, TypeVar

from demur.programs.errors import ErrorKind, Halted, LaneError
from demur.programs.lanes.batch.book import BatchRecord, BatchStatus
from demur.programs.lanes.batch.desk import AskAgain, Desk, backoff_seconds

LONGEST_PROBLEM: Final = 500

_Found = TypeVar("_Found")


@dataclass(slots=True)
class TrackedBatch:
    """One batch, whose record is as the book has it; `misfits` are batches of the provider's that proved to be others'.

    Methods say of what they cannot do that the stage halts (`Halted`), or that the requests are free to be sent again
    (`AskAgain`).
    """

    desk: Desk
    record: BatchRecord
    misfits: set[str] = field(default_factory=set)

    async def note(self, **known: object) -> None:
        """Write down what became known of the batch."""
        self.record = replace(self.record, **known)  # type: ignore[arg-type]
        await asyncio.to_thread(self.desk.book.update, self.record)

    async def give_up(self, why: str) -> NoReturn:
        """Note that the provider has no such batch; raises AskAgain."""
        await self.note(status=BatchStatus.VOID, problem=why, provider_batch_id=None)
        raise AskAgain

    async def patiently(self, what: Callable[[], Awaitable[_Found]], wanted: str) -> _Found:
        """Return what a request brings, asked again while that can help.

        Raises:
            AskAgain: the provider does not know the batch.
            Halted: it does not help.
        """
        for attempt in count(1):
            try:
                return await what()
            except LaneError as exc:
                if exc.kind is ErrorKind.NOT_FOUND and self.record.provider_batch_id is not None:
                    await self.give_up(f"the provider has forgotten it: {exc}")
                if not exc.retryable or attempt > self.desk.spec.limits.retries:
                    raise self.halted(f"could not {wanted}: {exc}") from exc
                await asyncio.sleep(backoff_seconds(exc, attempt))
        raise AssertionError("a count has no end")

    @asynccontextmanager
    async def held(self, name: str) -> AsyncIterator[None]:
        """Keep other processes and threads out of a matter."""
        guard = self.desk.book.hold(name)
        await asyncio.to_thread(guard.__enter__)
        try:
            yield
        finally:
            guard.__exit__(None, None, None)

    def kept_problem(self, said: str) -> str:
        """Return a problem as it may be written down."""
        return self.desk.mask.error(said)[:LONGEST_PROBLEM]

    def halted(self, what: str) -> Halted:
        """Return the error that says why the batch cannot go on now."""
        place = self.record.provider_batch_id or self.record.batch_id
        return Halted(
            f"model '{self.record.model}': batch {place} of {self.record.requests} requests "
            f"{self.kept_problem(what)}. The same command "
            "goes on from here; `demur batches list` shows what is under way"
        )
