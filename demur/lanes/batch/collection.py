"""Waiting for a batch and fetching its results: whole, each line once, with no request sent again too soon."""

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


@dataclass(frozen=True, slots=True)
class Collected:
    """The results of a batch with where they are kept, and why other requests have none."""

    results: Iterable[tuple[ResultPlace, BatchResult]]
    lacking: LaneError


async def collect(run: BatchRun) -> Collected:
    """Return the results of a batch after the provider has finished it and they are stored here.

    Raises:
        Halted: it takes longer than `limits.batch_wait_seconds`, or cannot be looked at or fetched.
        LaneError: the provider has lost it or failed it as a whole.
    """
    if run.record.status is BatchStatus.COLLECTED:
        return Collected(_kept(run), lost_error(_LACKING))
    state = await _ended(run)
    if state.refusal is not None:
        await _failed_whole(run, state)
    return await _fetch_all(run, state)


def _kept(run: BatchRun) -> Iterator[tuple[ResultPlace, BatchResult]]:
    for place, line in run.context.store.results(run.record.batch_id):
        with suppress(LaneError):
            yield place, run.context.endpoint.result(line)


async def _ended(run: BatchRun) -> BatchState:
    """Poll the batch until it has ended."""
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
    """Return how far the batch is, by its own page or by the list, None where neither knows it."""
    name = str(run.record.provider_batch_id)
    try:
        return await run.context.endpoint.state(name)
    except LaneError as exc:
        if exc.kind is not ErrorKind.NOT_FOUND:
            raise
    return next((state for state in await run.listed() if state.provider_batch_id == name), None)


async def _failed_whole(run: BatchRun, state: BatchState) -> None:
    """Record a batch that the provider refused after taking it, and raise the error of its requests."""
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
    """The results of a batch fetched so far, by request id; `unreadable` counts lines of the last fetch."""

    state: BatchState
    ours: frozenset[str]
    found: dict[str, tuple[ResultPlace, BatchResult]] = field(default_factory=dict)
    unreadable: int = 0

    @property
    def owes_answers(self) -> bool:
        """True while the provider has counted answers not yet received."""
        answers = sum(result.answered for _, result in self.found.values())
        return answers < self.state.done or self.unreadable > 0

    @property
    def is_whole(self) -> bool:
        """True once no more results are to come: every request has its line, or as many as the provider counted."""
        counted = self.state.done + self.state.failed
        return len(self.found) == len(self.ours) or (not self.owes_answers and len(self.found) >= counted)


async def _fetch_all(run: BatchRun, state: BatchState) -> Collected:
    """Keep the results here and return them, fetched again until they are whole or nothing more comes.

    Raises:
        Halted: the provider does not hand them out now.
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
    return Collected(fetched.found.values(), lacking)


async def _fetch(run: BatchRun, fetched: _Results, writer: ResultWriter) -> LaneError | None:
    """Keep the lines that are new; return why they ended too early, None where they did not."""
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
    """Return whether results that are not found will not be any more: they would have been for long."""
    ended = datetime.fromisoformat(str(run.record.ended_at))
    overdue = timedelta(seconds=run.context.spec.limits.batch_wait_seconds)
    return problem.kind is ErrorKind.NOT_FOUND and datetime.now(UTC) - ended > overdue
