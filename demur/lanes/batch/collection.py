"""Polling of batches, and download of their results. A repeated download stores only new results."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

from demur.lanes.batch.endpoint import BatchResult, BatchState
from demur.lanes.batch.run import BatchRun, lost_error
from demur.programs.batch_record import BatchStatus, ResultPlace, ResultWriter
from demur.programs.errors import ErrorKind, LaneError

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
