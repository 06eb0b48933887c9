"""Submission of a batch, and the search for a batch whose id at the provider is unknown.

The id is unknown if the reply to the submission was lost, or the submitting process died. If the provider stores tags,
the tag identifies the batch. Otherwise the candidates are the batches that were created in the same period and have the
same number of requests. The request ids in the results of a candidate then tell whether the candidate is the batch.
"""

import asyncio
import time
from contextlib import aclosing, suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Final

from demur.lanes.batch.endpoint import BatchState
from demur.lanes.batch.run import BatchRun, NeverSentError, resend_seconds
from demur.programs.batch_record import BatchStatus
from demur.programs.errors import ErrorKind, LaneError

LONGEST_SUBMISSION: Final = timedelta(minutes=30)
_OF_THE_ACCOUNT: Final = frozenset(
    {ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.QUOTA, ErrorKind.NOT_FOUND}
)


async def send(run: BatchRun) -> None:
    """Record a new batch, then send it.

    Raises:
        NeverSentError: sending failed, and the provider does not have the batch.
        Halted: the batch cannot be sent now.
        LaneError: the provider rejects the batch.
    """
    await asyncio.to_thread(run.context.store.intend, run.record, [request.request_id for request in run.requests])
    for attempt in count(1):
        try:
            await _note_submission(run, await run.context.endpoint.submit(run.record.batch_id, run.requests))
            return
        except LaneError as exc:
            if exc.may_be_billed:
                await _find(run, f"its submission was not answered ({exc})")
                return
            if not exc.retryable:
                await _refused(run, exc)
            if attempt > run.context.spec.limits.retries:
                await run.note(problem=run.kept_problem(str(exc)))
                raise run.halted(f"could not be submitted: {exc}") from exc
            if await _found(run, 0.0):
                return
            await asyncio.sleep(resend_seconds(exc, attempt))


async def resume(run: BatchRun) -> None:
    """Find a batch of an earlier run at the provider, and record the provider's id of the batch.

    Raises:
        NeverSentError: the provider does not have the batch.
        Halted: the provider cannot be asked now.
    """
    if run.record.status is BatchStatus.VOID:
        raise NeverSentError
    if run.record.provider_batch_id is not None:
        return
    if run.record.problem is None:
        await _find(run, "its submission was interrupted")
    elif not await _found(run, 0.0):  # the provider had answered with an error
        await run.note(status=BatchStatus.VOID)
        raise NeverSentError


async def _find(run: BatchRun, why: str) -> None:
    """Search for a batch that the provider may have received.

    Raises:
        NeverSentError: the provider does not have the batch.
    """
    if not await _found(run, run.context.spec.limits.batch_missing_seconds):
        await run.never_sent(f"{why}, and the provider does not list it")


async def _refused(run: BatchRun, error: LaneError) -> None:
    await run.note(status=BatchStatus.VOID, problem=run.kept_problem(str(error)))
    if error.kind in _OF_THE_ACCOUNT:
        raise run.halted(f"was not accepted: {error}") from error
    raise LaneError(f"the batch was not accepted: {error}", kind=error.kind, may_be_billed=False) from error


async def _found(run: BatchRun, missing_seconds: float) -> bool:
    """Search for the batch at the provider, and return whether the batch was found.

    The provider's id of the found batch is recorded. Unfinished candidates are polled until they end. The search fails
    after `missing_seconds` without an unfinished candidate.
    """
    others: set[str] = set()
    began = hoped = time.monotonic()
    while True:
        now = time.monotonic()
        hopeful = False
        for state in await run.retried(lambda: _candidates(run), "be looked for"):
            if state.provider_batch_id in others:
                continue
            ours = await run.retried(partial(_is_ours, run, state), "be looked for")
            if ours:
                await _note_submission(run, state)
                return True
            if ours is False:
                others.add(state.provider_batch_id)
            hopeful = hopeful or not state.ended
        if hopeful:
            hoped = now
        elif now - hoped >= missing_seconds:
            return False
        await run.wait(now - began, share=0.1 if hopeful else 1.0)


async def _candidates(run: BatchRun) -> list[BatchState]:
    """Return the provider's batches that may be the batch of `run`.

    If the provider stores tags, the tag must match. Otherwise the number of requests and the time must match.
    """
    record = run.record
    tagged = run.context.endpoint.tagged
    listed = await run.listed()
    if tagged:
        return [state for state in listed if state.tag == record.batch_id]
    latest = datetime.fromisoformat(record.intended_at) + LONGEST_SUBMISSION
    records = await asyncio.to_thread(run.context.store.records)
    known = {other.provider_batch_id for other in records if other.batch_id != record.batch_id}
    return [
        state
        for state in listed
        if state.requests == record.requests and state.created < latest and state.provider_batch_id not in known
    ]


async def _is_ours(run: BatchRun, state: BatchState) -> bool | None:
    """Return whether `state` is the state of the batch of `run`; None if results are necessary to decide, but missing.

    If the provider stores tags, all candidates have the right tag. Otherwise the request ids in the results decide.
    """
    if run.context.endpoint.tagged:
        return True
    if not state.ended:
        return None
    ours = frozenset(await asyncio.to_thread(run.context.store.request_ids, run.record.batch_id))
    endpoint = run.context.endpoint
    try:
        async with aclosing(endpoint.results(state.provider_batch_id)) as lines:
            async for line in lines:
                with suppress(LaneError):
                    return endpoint.result(line).request_id in ours
    except LaneError as exc:
        if exc.kind is not ErrorKind.NOT_FOUND:
            raise
    return None


async def _note_submission(run: BatchRun, state: BatchState) -> None:
    status = BatchStatus.CANCELLING if state.cancelling else BatchStatus.RUNNING
    submitted = state.created.isoformat()
    run.requests = ()  # they take memory
    await run.note(provider_batch_id=state.provider_batch_id, status=status, submitted_at=submitted, problem=None)
