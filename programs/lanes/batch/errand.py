"""One batch from its submission, or from where an earlier run left it, to its results."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Final, TypeVar

from programs.errors import ErrorKind, Halted, LaneError
from programs.lanes.batch.book import BatchRecord, BatchStatus, ResultPlace
from programs.lanes.batch.desk import AskAgain, Desk, Waiting, backoff_seconds, copy_of
from programs.lanes.batch.gateway import BatchRequest, BatchState
from programs.lanes.batch.requests import split_id

FIRST_LOOK_SECONDS: Final = 1.0
LONGEST_PROBLEM: Final = 500
_OF_THE_ACCOUNT: Final = frozenset(
    {ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.QUOTA, ErrorKind.NOT_FOUND}
)

_Found = TypeVar("_Found")


@dataclass(slots=True)
class Errand:
    """Brings the results of one batch to those who wait for them."""

    desk: Desk
    record: BatchRecord
    requests: Sequence[BatchRequest] = ()
    """What is to be sent; empty for a batch of an earlier run."""
    waiting: dict[str, Waiting] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)
    _misfits: set[str] = field(default_factory=set)

    async def run(self) -> None:
        """Send or find the batch, wait for its end, and settle everybody who waits; raises nothing."""
        try:
            await self._placed()
            while not await self._collected():
                await self._placed()
        except AskAgain:
            await self._give_up(AskAgain())
        except (Halted, LaneError) as exc:
            await self._give_up(exc)
        except OSError as exc:
            await self._give_up(self._halted(f"cannot be written down: {exc}"))
        except Exception as exc:  # a fault of ours must not leave units waiting for ever
            await self._give_up(LaneError(f"{type(exc).__name__}: {exc}", kind=ErrorKind.UNEXPECTED))

    async def _give_up(self, why: Exception) -> None:
        self.desk.register.settle(self.record.batch_id)
        for answer in self.waiting.values():
            if not answer.done():
                answer.set_exception(copy_of(why))
        self.waiting.clear()

    async def _placed(self) -> None:
        """See that the provider has the batch, and that we know its id there.

        Raises:
            AskAgain: it never got there.
        """
        async with self._held(f"{self.desk.spec.name}-submission"):
            if self.requests and self.record.provider_batch_id is None:
                await asyncio.to_thread(
                    self.desk.book.intend, self.record, [request.request_id for request in self.requests]
                )
                await self._note_submission(await self._submitted())
                self.requests = ()
                return
            if not self._misfits:
                self.record = await asyncio.to_thread(self.desk.book.read, self.record.batch_id)
            if self.record.status is BatchStatus.VOID:
                raise AskAgain
            if self.record.provider_batch_id is None:
                found = await self._patiently(self._found, "be looked for")
                if found is None:
                    await self._void("the provider has no such batch")
                await self._note_submission(found)

    async def _submitted(self) -> BatchState:
        """Send the batch, again where that failed and the provider has none of its name.

        Raises:
            Halted: it cannot be sent now.
            LaneError: the provider refuses it as it is.
        """
        limits, gateway = self.desk.spec.limits, self.desk.gateway
        for attempt in count(1):
            try:
                found = await self._found() if attempt > 1 else None
                return found or await gateway.submit(self.record.batch_id, self.requests)
            except LaneError as exc:
                if not exc.retryable:
                    await self._refused(exc)
                if attempt > limits.retries:
                    raise self._halted(f"could not be submitted: {exc}") from exc
                await asyncio.sleep(backoff_seconds(exc, attempt))
        raise AssertionError("a count has no end")

    async def _refused(self, error: LaneError) -> None:
        """Note that the provider does not take the batch."""
        self.desk.register.settle(self.record.batch_id)
        await self._noted(status=BatchStatus.VOID, problem=self.desk.mask.error(str(error))[:LONGEST_PROBLEM])
        if error.kind in _OF_THE_ACCOUNT:
            raise self._halted(f"is not taken: {error}") from error
        raise LaneError(f"the batch is not taken: {error}", kind=error.kind, may_be_billed=False) from error

    async def _found(self) -> BatchState | None:
        """Return the provider's batch that is ours, as far as can be told."""
        known = {
            record.provider_batch_id
            for record in await asyncio.to_thread(self.desk.book.records)
            if record.batch_id != self.record.batch_id
        }
        intended = datetime.fromisoformat(self.record.intended_at)
        for state in await self.desk.gateway.find(self.record.batch_id, self.record.requests, intended):
            if state.provider_batch_id not in known | self._misfits:
                return state
        return None

    async def _note_submission(self, state: BatchState | None) -> None:
        if state is not None:
            submitted = state.created or datetime.now(UTC)
            status = BatchStatus.CANCELLING if state.cancelling else BatchStatus.RUNNING
            await self._noted(
                provider_batch_id=state.provider_batch_id, status=status, submitted_at=submitted.isoformat()
            )

    async def _void(self, why: str) -> None:
        await self._noted(status=BatchStatus.VOID, problem=why, provider_batch_id=None)
        raise AskAgain

    async def _collected(self) -> bool:
        """Wait for the end of the batch and hand its results out; return whether they were ours."""
        if self.record.status is not BatchStatus.COLLECTED:
            state = await self._ended()
            if state.refusal is not None:
                await self._failed_whole(state)
            if not await self._fetched():
                self._misfits.add(str(self.record.provider_batch_id))
                await self._noted(provider_batch_id=None, status=BatchStatus.INTENDED)
                return False
        await self._hand_out()
        return True

    async def _failed_whole(self, state: BatchState) -> None:
        """Note that the provider took the batch and then found that it cannot be worked on."""
        why = self.desk.mask.error(state.refusal or "")[:LONGEST_PROBLEM]
        await self._noted(status=BatchStatus.VOID, problem=why, ended_at=datetime.now(UTC).isoformat())
        kind = ErrorKind.RATE_LIMIT if "limit" in (state.refusal_code or "") else ErrorKind.REQUEST
        raise LaneError(
            f"the provider did not work on batch {state.provider_batch_id}: {state.refusal}",
            kind=kind,
            retry_after_seconds=self.desk.spec.limits.batch_poll_seconds,
            may_be_billed=False,
        )

    async def _ended(self) -> BatchState:
        """Look at the batch until the provider has done with it.

        Raises:
            AskAgain: the provider knows nothing of it any more.
            Halted: it takes longer than `limits.batch_wait_seconds`, or cannot be looked at.
        """
        limits = self.desk.spec.limits
        while True:
            state = await self._patiently(self._state, "be looked at")
            if state.ended:
                await self._noted(
                    status=BatchStatus.ENDED,
                    done=state.done,
                    failed=state.failed,
                    ended_at=datetime.now(UTC).isoformat(),
                )
                return state
            waited = time.monotonic() - self._began
            status = BatchStatus.CANCELLING if state.cancelling else BatchStatus.RUNNING
            if (state.done, state.failed, status) != (self.record.done, self.record.failed, self.record.status):
                await self._noted(status=status, done=state.done, failed=state.failed)
            self.desk.book.tell(self.record, waited)
            if waited > limits.batch_wait_seconds:
                raise self._halted(
                    f"has not ended within {limits.batch_wait_seconds:g} s (limits.batch_wait_seconds); it goes on at "
                    "the provider"
                )
            await asyncio.sleep(min(limits.batch_poll_seconds, max(FIRST_LOOK_SECONDS, waited / 10)))

    async def _state(self) -> BatchState:
        return await self.desk.gateway.state(str(self.record.provider_batch_id))

    async def _fetched(self) -> bool:
        """Keep the results here; return whether they are ours."""
        return await self._patiently(self._fetch, "be fetched")

    async def _fetch(self) -> bool:
        gateway, book = self.desk.gateway, self.desk.book
        ours = frozenset(await asyncio.to_thread(book.request_ids, self.record.batch_id))
        writer = await asyncio.to_thread(book.open_results, self.record.batch_id)
        matched = foreign = 0
        try:
            async for line in gateway.results(str(self.record.provider_batch_id)):
                if gateway.request_id(line) in ours:
                    matched += 1
                    writer.write(self.desk.fit_to_keep(line))
                else:
                    foreign += 1
            if foreign and not matched:
                return False
            await asyncio.to_thread(writer.commit)
        finally:
            writer.discard()
        await self._noted(status=BatchStatus.COLLECTED)
        return True

    async def _hand_out(self) -> None:
        """Give everybody their line; answers that nobody waits for yet stay to be asked for."""
        batch_id, register = self.record.batch_id, self.desk.register
        register.settle(batch_id)
        for number, (place, line) in enumerate(self.desk.book.results(batch_id)):
            one = self.desk.gateway.request_id(line)
            answer = self.waiting.pop(one, None)
            if answer is not None and not answer.done():
                answer.set_result((batch_id, line))
            elif answer is None and self.desk.gateway.is_answer(line):
                register.answers[split_id(one)[0]] = ResultPlace(batch_id, place.start, place.length)
            if number % 100 == 99:
                await asyncio.sleep(0)
        lost = LaneError("the batch ended without a result for this request", kind=ErrorKind.PROTOCOL)
        for answer in self.waiting.values():
            if not answer.done():
                answer.set_exception(copy_of(lost))
        self.waiting.clear()

    async def _patiently(self, what: Callable[[], Awaitable[_Found]], wanted: str) -> _Found:
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
                    await self._void(f"the provider has forgotten it: {exc}")
                if not exc.retryable or attempt > self.desk.spec.limits.retries:
                    raise self._halted(f"could not {wanted}: {exc}") from exc
                await asyncio.sleep(backoff_seconds(exc, attempt))
        raise AssertionError("a count has no end")

    async def _noted(self, **known: object) -> None:
        self.record = replace(self.record, **known)  # type: ignore[arg-type]
        await asyncio.to_thread(self.desk.book.update, self.record)

    @asynccontextmanager
    async def _held(self, name: str) -> AsyncIterator[None]:
        guard = self.desk.book.hold(name)
        await asyncio.to_thread(guard.__enter__)
        try:
            yield
        finally:
            guard.__exit__(None, None, None)

    def _halted(self, what: str) -> Halted:
        place = self.record.provider_batch_id or self.record.batch_id
        return Halted(
            f"model '{self.record.model}': batch {place} of {self.record.requests} requests "
            f"{self.desk.mask.error(what)[:LONGEST_PROBLEM]}. The same command "
            "goes on from here; `demur batches list` shows what is under way"
        )
