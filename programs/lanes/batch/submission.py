"""How a batch gets to its provider, and is found there again where its name there is not known.

The name gets lost with the reply to a submission, or with the process that waited for it. Where batches carry a name of
ours the provider's list tells which one it is. Where they do not, it is among those of the same size and time, and the
ids in its results tell it from the others.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing, suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Final

from demur.programs.errors import ErrorKind, LaneError
from demur.programs.lanes.batch.book import BatchStatus
from demur.programs.lanes.batch.desk import AskAgain, backoff_seconds
from demur.programs.lanes.batch.gateway import BatchRequest, BatchState
from demur.programs.lanes.batch.tracked import TrackedBatch

LONGEST_SUBMISSION: Final = timedelta(minutes=30)
_OF_THE_ACCOUNT: Final = frozenset(
    {ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.QUOTA, ErrorKind.NOT_FOUND}
)


async def send(batch: TrackedBatch, requests: Sequence[BatchRequest]) -> None:
    """Write a new batch down, then send it.

    Raises:
        AskAgain: nothing came of it, and the provider does not have it.
        Halted: it cannot be sent now.
        LaneError: the provider refuses it as it is.
    """
    await asyncio.to_thread(batch.desk.book.intend, batch.record, [request.request_id for request in requests])
    for attempt in count(1):
        try:
            await _note_submission(batch, await batch.desk.gateway.submit(batch.record.batch_id, requests))
            return
        except LaneError as exc:
            if exc.may_be_billed:
                await _find(batch, f"its submission was not answered ({exc})")
                return
            if not exc.retryable:
                await _refused(batch, exc)
            if attempt > batch.desk.spec.limits.retries:
                await batch.note(problem=batch.kept_problem(str(exc)))
                raise batch.halted(f"could not be submitted: {exc}") from exc
            if await _found(batch, 0.0):
                return
            await asyncio.sleep(backoff_seconds(exc, attempt))


async def take_up(batch: TrackedBatch) -> None:
    """See that the provider has a batch of an earlier run, and that we know its name there.

    Raises:
        AskAgain: it never got there.
        Halted: it cannot be looked for now.
    """
    if batch.record.status is BatchStatus.VOID:
        raise AskAgain
    if batch.record.provider_batch_id is not None:
        return
    if batch.record.problem is None:
        await _find(batch, "its submission was interrupted")
    elif not await _found(batch, 0.0):  # the provider had answered with an error
        await batch.note(status=BatchStatus.VOID)
        raise AskAgain


async def _find(batch: TrackedBatch, why: str) -> None:
    """Find a batch that may have got to the provider, or give it up."""
    if not await _found(batch, batch.desk.spec.limits.batch_missing_seconds):
        await batch.never_sent(f"{why}, and the provider does not list it")


async def _refused(batch: TrackedBatch, error: LaneError) -> None:
    """Note that the provider does not take the batch, and say so."""
    await batch.note(status=BatchStatus.VOID, problem=batch.kept_problem(str(error)))
    if error.kind in _OF_THE_ACCOUNT:
        raise batch.halted(f"is not taken: {error}") from error
    raise LaneError(f"the batch is not taken: {error}", kind=error.kind, may_be_billed=False) from error


async def _found(batch: TrackedBatch, missing_seconds: float) -> bool:
    """Return whether the provider has the batch, after noting its name there.

    It is looked for until nothing that could be it was listed for `missing_seconds`; what could be it is waited for.
    """
    others: set[str] = set()
    began = hoped = time.monotonic()
    while True:
        now = time.monotonic()
        hopeful = False
        for state in await batch.patiently(lambda: _candidates(batch), "be looked for"):
            if state.provider_batch_id in others:
                continue
            ours = await batch.patiently(partial(_is_ours, batch, state), "be looked for")
            if ours:
                await _note_submission(batch, state)
                return True
            if ours is False:
                others.add(state.provider_batch_id)
            hopeful = hopeful or not state.ended
        if hopeful:
            hoped = now
        elif now - hoped >= missing_seconds:
            return False
        await batch.wait(now - began, share=0.1 if hopeful else 1.0)


async def _candidates(batch: TrackedBatch) -> list[BatchState]:
    """Return the provider's batches that can be this one: the one of its tag, else all of its size and time."""
    record, tagged = batch.record, batch.desk.gateway.tagged
    listed = await batch.listed()
    if tagged:
        return [state for state in listed if state.tag == record.batch_id]
    latest = datetime.fromisoformat(record.intended_at) + LONGEST_SUBMISSION
    records = await asyncio.to_thread(batch.desk.book.records)
    known = {other.provider_batch_id for other in records if other.batch_id != record.batch_id}
    return [
        state
        for state in listed
        if state.requests == record.requests and state.created < latest and state.provider_batch_id not in known
    ]


async def _is_ours(batch: TrackedBatch, state: BatchState) -> bool | None:
    """Return whether a candidate carries our tag, or results for our requests; None while it has no results."""
    if batch.desk.gateway.tagged:
        return True
    if not state.ended:
        return None
    ours = frozenset(await asyncio.to_thread(batch.desk.book.request_ids, batch.record.batch_id))
    gateway = batch.desk.gateway
    try:
        async with aclosing(gateway.results(state.provider_batch_id)) as lines:
            async for line in lines:
                with suppress(LaneError):
                    return gateway.result(line).request_id in ours
    except LaneError as exc:
        if exc.kind is not ErrorKind.NOT_FOUND:
            raise
    return None


async def _note_submission(batch: TrackedBatch, state: BatchState) -> None:
    status = BatchStatus.CANCELLING if state.cancelling else BatchStatus.RUNNING
    submitted = state.created.isoformat()
    await batch.note(provider_batch_id=state.provider_batch_id, status=status, submitted_at=submitted)
