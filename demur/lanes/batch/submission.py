"""Submission of a batch, polling, and download of its results."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Final

from demur.lanes.batch.endpoint import BatchResult, BatchState
from demur.lanes.batch.run import BatchRun, NeverSentError, lost_error, resend_seconds
from demur.lanes.chain import confirm
from demur.programs.batch_record import BatchStatus, ResultPlace, ResultWriter
from demur.programs.errors import ErrorKind, LaneError

# Submission of a batch, and the search for a batch whose id at the provider is unknown.
#
# The id is unknown if the reply to the submission was lost, or the submitting process died. If the provider stores
# tags, the tag identifies the batch. Otherwise the candidates are the batches that were created in the same period
# and have the same number of requests. The request ids in the results of a candidate then tell whether the candidate
# is the batch.


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
    await confirm(run.context.scope)
    await asyncio.to_thread(run.context.store.intend, run.record, [request.request_id for request in run.requests])
    for attempt in count(1):
        await confirm(run.context.scope)  # the database may have been away meanwhile
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


# Polling of batches, and download of their results. A repeated download stores only new results.


_LACKING: Final = "the batch ended without a result for this request"


Collected = tuple[Iterable[tuple[ResultPlace, BatchResult]], LaneError]
"""The results of a batch with their places in the store, and the error of requests without a result."""


async def collect(run: BatchRun) -> Collected:
    """Wait until the provider has ended a batch, and return its stored results.

    Raises:
        Halted: the batch takes longer than `limits.batch_wait_seconds`, or polling or downloading fails.
        LaneError: the provider has lost the batch or rejected it as a whole.
    """
    if run.record.status is BatchStatus.COLLECTED:
        return _kept(run), lost_error(_LACKING)
    state = await _ended(run)
    if state.refusal is not None:
        await _failed_whole(run, state)
    return await _fetch_all(run, state)


def _kept(run: BatchRun) -> Iterator[tuple[ResultPlace, BatchResult]]:
    for place, line in run.context.store.results(run.record.batch_id):
        with suppress(LaneError):
            yield place, run.context.endpoint.result(line)


async def _ended(run: BatchRun) -> BatchState:
    """Poll the batch until it has ended, and return its last state."""
    missing_since: float | None = None
    while True:
        state = await run.retried(lambda: _seen(run), "be looked at")
        now = time.monotonic()
        if state is None:
            missing_since = now if missing_since is None else missing_since
            if now - missing_since >= run.context.spec.limits.batch_missing_seconds:
                await run.lost(f"the provider has not known it for {now - missing_since:.0f} s, and does not list it")
            await run.wait(now - missing_since, share=1.0)
            continue
        missing_since = None
        status = BatchStatus.CANCELLING if state.cancelling else BatchStatus.RUNNING
        if state.ended:
            ended = run.record.ended_at or datetime.now(UTC).isoformat()
            await run.note(status=BatchStatus.ENDED, done=state.done, failed=state.failed, ended_at=ended)
            return state
        known = run.record
        if (state.done, state.failed, status) != (known.done, known.failed, known.status):
            await run.note(status=status, done=state.done, failed=state.failed)
        await run.wait(now - run.began)


async def _seen(run: BatchRun) -> BatchState | None:
    """Return the state of the batch; None if the provider does not know it.

    The batch is looked up by its id, then in the provider's list of batches.
    """
    name = str(run.record.provider_batch_id)
    try:
        return await run.context.endpoint.state(name)
    except LaneError as exc:
        if exc.kind is not ErrorKind.NOT_FOUND:
            raise
    return next((state for state in await run.listed() if state.provider_batch_id == name), None)


async def _failed_whole(run: BatchRun, state: BatchState) -> None:
    why = run.kept_problem(state.refusal or "")
    await run.note(status=BatchStatus.VOID, problem=why, ended_at=datetime.now(UTC).isoformat())
    kind = ErrorKind.RATE_LIMIT if "limit" in (state.refusal_code or "") else ErrorKind.REQUEST
    raise LaneError(
        f"the provider did not work on batch {state.provider_batch_id}: {state.refusal}",
        kind=kind,
        retry_after_seconds=run.context.spec.limits.batch_poll_seconds,
        may_be_billed=False,
    )


@dataclass(slots=True)
class _Results:
    """The downloaded results of a batch by request id; `unreadable` counts unreadable lines of the last download."""

    state: BatchState
    ours: frozenset[str]
    found: dict[str, tuple[ResultPlace, BatchResult]] = field(default_factory=dict)
    unreadable: int = 0

    @property
    def owes_answers(self) -> bool:
        """True if the provider has counted more answers than were downloaded."""
        answers = sum(result.answered for _, result in self.found.values())
        return answers < self.state.done or self.unreadable > 0

    @property
    def is_whole(self) -> bool:
        """True if each request has a result, or if as many results were downloaded as the provider counted."""
        counted = self.state.done + self.state.failed
        return len(self.found) == len(self.ours) or (not self.owes_answers and len(self.found) >= counted)


async def _fetch_all(run: BatchRun, state: BatchState) -> Collected:
    """Download and store the results, in several attempts if some are missing, and return the stored results.

    Raises:
        Halted: the provider does not return the results now.
    """
    context = run.context
    batch_id = run.record.batch_id
    fetched = _Results(state, frozenset(await asyncio.to_thread(context.store.request_ids, batch_id)))
    writer = await asyncio.to_thread(context.store.open_results, batch_id)
    began = time.monotonic()
    for attempt in count(1):
        problem = await _fetch(run, fetched, writer)
        if (problem is None and fetched.is_whole) or state.archived:
            break
        waited = time.monotonic() - began
        if attempt > context.spec.limits.retries and waited >= context.spec.limits.batch_missing_seconds:
            if problem is not None and not _are_gone(run, problem):
                raise run.halted(f"could not be fetched: {problem}") from problem
            break
        await run.wait(waited, share=1.0)
    await asyncio.to_thread(writer.commit)
    lacking = LaneError(
        _LACKING,
        kind=ErrorKind.CANCELLED if state.cancelling else ErrorKind.EXPIRED,
        retry_after_seconds=0.0,
        may_be_billed=False,
    )
    missing = None
    lost = fetched.ours - fetched.found.keys()
    if lost and fetched.owes_answers:
        missing = f"{len(lost)} of its results are missing or cannot be read"
        await run.add_lost(lost, missing)
        lacking = lost_error(_LACKING)
    await run.note(status=BatchStatus.COLLECTED, problem=missing)
    return fetched.found.values(), lacking


async def _fetch(run: BatchRun, fetched: _Results, writer: ResultWriter) -> LaneError | None:
    """Store the results that are new. Return the error that ended the download early, or None."""
    context = run.context
    fetched.unreadable = 0
    try:
        async with aclosing(context.endpoint.results(str(run.record.provider_batch_id))) as lines:
            async for line in lines:
                try:
                    result = context.endpoint.result(line)
                    hidden = context.mask.reply if result.answered else context.mask.error
                    kept = hidden(line.decode()).encode()  # without keys, which careless servers repeat
                    result = result if kept == line else context.endpoint.result(kept)
                except (LaneError, ValueError):
                    fetched.unreadable += 1
                    continue
                if result.request_id in fetched.ours and result.request_id not in fetched.found:
                    fetched.found[result.request_id] = (writer.write(kept), result)
    except LaneError as exc:
        if not exc.retryable and exc.kind is not ErrorKind.NOT_FOUND:
            raise run.halted(f"could not be fetched: {exc}") from exc
        return exc
    return None


def _are_gone(run: BatchRun, problem: LaneError) -> bool:
    """Return whether `problem` is NOT_FOUND, and the batch ended more than `limits.batch_wait_seconds` ago."""
    ended = datetime.fromisoformat(str(run.record.ended_at))
    overdue = timedelta(seconds=run.context.spec.limits.batch_wait_seconds)
    return problem.kind is ErrorKind.NOT_FOUND and datetime.now(UTC) - ended > overdue
