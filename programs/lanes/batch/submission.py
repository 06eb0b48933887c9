"""How a batch gets to its provider, once and no second time, and is found there again."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Final

from demur.programs.errors import ErrorKind, LaneError
from demur.programs.lanes.batch.book import BatchStatus
from demur.programs.lanes.batch.desk import AskAgain, backoff_seconds
from demur.programs.lanes.batch.gateway import BatchRequest, BatchState
from demur.programs.lanes.batch.tracked import TrackedBatch

_OF_THE_ACCOUNT: Final = frozenset(
    {ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.QUOTA, ErrorKind.NOT_FOUND}
)


async def send(batch: TrackedBatch, requests: Sequence[BatchRequest]) -> None:
    """Write a new batch down, then send it.

    Raises:
        Halted: it cannot be sent now.
        LaneError: the provider refuses it as it is.
    """
    async with batch.held(_matter(batch)):
        await asyncio.to_thread(batch.desk.book.intend, batch.record, [request.request_id for request in requests])
        await _note_submission(batch, await _submitted(batch, requests))


async def find(batch: TrackedBatch) -> None:
    """See that the provider has a batch that was written down before, and that we know its id there.

    Raises:
        AskAgain: it never got there.
        Halted: it cannot be looked for now.
    """
    async with batch.held(_matter(batch)):
        if not batch.misfits:
            batch.record = await asyncio.to_thread(batch.desk.book.read, batch.record.batch_id)
        if batch.record.status is BatchStatus.VOID:
            raise AskAgain
        if batch.record.provider_batch_id is None:
            found = await batch.patiently(lambda: _found(batch), "be looked for")
            if found is None:
                await batch.give_up("the provider has no such batch")
            await _note_submission(batch, found)


def _matter(batch: TrackedBatch) -> str:
    return f"{batch.desk.spec.name}-submission"


async def _submitted(batch: TrackedBatch, requests: Sequence[BatchRequest]) -> BatchState:
    """Send the batch, again where that failed and the provider has none of its name."""
    limits, gateway = batch.desk.spec.limits, batch.desk.gateway
    for attempt in count(1):
        try:
            found = await _found(batch) if attempt > 1 else None
            return found or await gateway.submit(batch.record.batch_id, requests)
        except LaneError as exc:
            if not exc.retryable:
                await _refused(batch, exc)
            if attempt > limits.retries:
                raise batch.halted(f"could not be submitted: {exc}") from exc
            await asyncio.sleep(backoff_seconds(exc, attempt))
    raise AssertionError("a count has no end")


async def _refused(batch: TrackedBatch, error: LaneError) -> None:
    """Note that the provider does not take the batch, and say so."""
    batch.desk.register.settle(batch.record.batch_id)
    await batch.note(status=BatchStatus.VOID, problem=batch.kept_problem(str(error)))
    if error.kind in _OF_THE_ACCOUNT:
        raise batch.halted(f"is not taken: {error}") from error
    raise LaneError(f"the batch is not taken: {error}", kind=error.kind, may_be_billed=False) from error


async def _found(batch: TrackedBatch) -> BatchState | None:
    """Return the provider's batch that is ours, as far as can be told."""
    known = {
        record.provider_batch_id
        for record in await asyncio.to_thread(batch.desk.book.records)
        if record.batch_id != batch.record.batch_id
    }
    intended = datetime.fromisoformat(batch.record.intended_at)
    for state in await batch.desk.gateway.find(batch.record.batch_id, batch.record.requests, intended):
        if state.provider_batch_id not in known | batch.misfits:
            return state
    return None


async def _note_submission(batch: TrackedBatch, state: BatchState) -> None:
    submitted = state.created or datetime.now(UTC)
    status = BatchStatus.CANCELLING if state.cancelling else BatchStatus.RUNNING
    await batch.note(provider_batch_id=state.provider_batch_id, status=status, submitted_at=submitted.isoformat())
