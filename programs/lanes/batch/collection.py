"""How a batch is waited for, and how its results get here: whole, and each line read once."""

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from demur.programs.errors import ErrorKind, LaneError
from demur.programs.lanes.batch.book import BatchStatus, ResultPlace
from demur.programs.lanes.batch.gateway import BatchResult, BatchState
from demur.programs.lanes.batch.tracked import TrackedBatch

FIRST_LOOK_SECONDS: Final = 1.0

Results = Iterator[tuple[ResultPlace, BatchResult]]
"""Where results are kept, and what they are."""


async def collect(batch: TrackedBatch, began: float) -> Results | None:
    """Return the results of a batch once the provider has done with it and they are kept here, None for another's.

    `began` is since when it is waited for, on the monotonic clock.

    Raises:
        AskAgain: the provider knows nothing of it any more.
        Halted: it takes longer than `limits.batch_wait_seconds`, or cannot be looked at or fetched.
        LaneError: the provider found that it cannot be worked on.
    """
    if batch.record.status is BatchStatus.COLLECTED:
        read, kept = batch.desk.gateway.result, batch.desk.book.results(batch.record.batch_id)
        return ((place, read(line)) for place, line in kept)
    state = await _ended(batch, began)
    if state.refusal is not None:
        await _failed_whole(batch, state)
    found = await batch.patiently(lambda: _fetched(batch), "be fetched")
    if found is None:
        batch.misfits.add(str(batch.record.provider_batch_id))
        await batch.note(provider_batch_id=None, status=BatchStatus.INTENDED)
        return None
    await batch.note(status=BatchStatus.COLLECTED)
    return iter(found)


async def _ended(batch: TrackedBatch, began: float) -> BatchState:
    """Look at the batch until the provider has done with it."""
    limits = batch.desk.spec.limits
    while True:
        state = await batch.patiently(
            lambda: batch.desk.gateway.state(str(batch.record.provider_batch_id)), "be looked at"
        )
        if state.ended:
            ended = datetime.now(UTC).isoformat()
            await batch.note(status=BatchStatus.ENDED, done=state.done, failed=state.failed, ended_at=ended)
            return state
        waited = time.monotonic() - began
        status = BatchStatus.CANCELLING if state.cancelling else BatchStatus.RUNNING
        known = batch.record
        if (state.done, state.failed, status) != (known.done, known.failed, known.status):
            await batch.note(status=status, done=state.done, failed=state.failed)
        batch.desk.book.tell(batch.record, waited)
        if waited > limits.batch_wait_seconds:
            raise batch.halted(
                f"has not ended within {limits.batch_wait_seconds:g} s (limits.batch_wait_seconds); it goes on at "
                "the provider"
            )
        await asyncio.sleep(min(limits.batch_poll_seconds, max(FIRST_LOOK_SECONDS, waited / 10)))


async def _failed_whole(batch: TrackedBatch, state: BatchState) -> None:
    """Note that the provider took the batch and then found that it cannot be worked on, and say so."""
    why = batch.kept_problem(state.refusal or "")
    await batch.note(status=BatchStatus.VOID, problem=why, ended_at=datetime.now(UTC).isoformat())
    kind = ErrorKind.RATE_LIMIT if "limit" in (state.refusal_code or "") else ErrorKind.REQUEST
    raise LaneError(
        f"the provider did not work on batch {state.provider_batch_id}: {state.refusal}",
        kind=kind,
        retry_after_seconds=batch.desk.spec.limits.batch_poll_seconds,
        may_be_billed=False,
    )


async def _fetched(batch: TrackedBatch) -> list[tuple[ResultPlace, BatchResult]] | None:
    """Keep the results here and return them, None where none of them is ours."""
    desk, batch_id = batch.desk, batch.record.batch_id
    ours = frozenset(await asyncio.to_thread(desk.book.request_ids, batch_id))
    writer = await asyncio.to_thread(desk.book.open_results, batch_id)
    found: list[tuple[ResultPlace, BatchResult]] = []
    foreign = 0
    try:
        async for line in desk.gateway.results(str(batch.record.provider_batch_id)):
            result = desk.gateway.result(line)
            if result.request_id not in ours:
                foreign += 1
                continue
            kept = desk.fit_to_keep(line, result)
            found.append((writer.write(kept), result if kept == line else desk.gateway.result(kept)))
        if foreign and not found:
            return None
        await asyncio.to_thread(writer.commit)
    finally:
        writer.discard()
    return found
