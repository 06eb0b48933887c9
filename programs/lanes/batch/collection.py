"""How a batch is waited for, and how its results get here: whole, each line read once, none bought again too soon."""

import asyncio
import time
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final

from demur.programs.errors import ErrorKind, LaneError
from demur.programs.lanes.batch.book import BatchStatus, ResultPlace, ResultWriter
from demur.programs.lanes.batch.gateway import BatchResult, BatchState
from demur.programs.lanes.batch.tracked import TrackedBatch, lost_error

_LACKING: Final = "the batch ended without a result for this request"


@dataclass(frozen=True, slots=True)
class Collected:
    """The results of a batch with where they are kept, and why other requests have none."""

    results: Iterable[tuple[ResultPlace, BatchResult]]
    lacking: LaneError


async def collect(batch: TrackedBatch, began: float) -> Collected:
    """Return the results of a batch once the provider has done with it and they are kept here.

    `began` is since when it is waited for, on the monotonic clock.

    Raises:
        Halted: it takes longer than `limits.batch_wait_seconds`, or cannot be looked at or fetched.
        LaneError: the provider has lost it, or found that it cannot be worked on.
    """
    if batch.record.status is BatchStatus.COLLECTED:
        read, kept = batch.desk.gateway.result, batch.desk.book.results(batch.record.batch_id)
        return Collected(((place, read(line)) for place, line in kept), lost_error(_LACKING))
    state = await _ended(batch, began)
    if state.refusal is not None:
        await _failed_whole(batch, state)
    return await _fetched(batch, state)


async def _ended(batch: TrackedBatch, began: float) -> BatchState:
    """Look at the batch until the provider has done with it."""
    missing_since: float | None = None
    while True:
        state = await batch.patiently(lambda: _seen(batch), "be looked at")
        now = time.monotonic()
        if state is None:
            missing_since = now if missing_since is None else missing_since
            if now - missing_since >= batch.desk.spec.limits.batch_missing_seconds:
                await batch.lost(f"the provider has not known it for {now - missing_since:.0f} s, and does not list it")
            await batch.wait(now - missing_since, share=1.0)
            continue
        missing_since = None
        status = BatchStatus.CANCELLING if state.cancelling else BatchStatus.RUNNING
        if state.ended:
            ended = batch.record.ended_at or datetime.now(UTC).isoformat()
            await batch.note(status=BatchStatus.ENDED, done=state.done, failed=state.failed, ended_at=ended)
            return state
        known = batch.record
        if (state.done, state.failed, status) != (known.done, known.failed, known.status):
            await batch.note(status=status, done=state.done, failed=state.failed)
        await batch.wait(now - began)


async def _seen(batch: TrackedBatch) -> BatchState | None:
    """Return how far the batch is, by its own page or by the list, None where neither knows it."""
    name = str(batch.record.provider_batch_id)
    try:
        return await batch.desk.gateway.state(name)
    except LaneError as exc:
        if exc.kind is not ErrorKind.NOT_FOUND:
            raise
    return next((state for state in await batch.listed() if state.provider_batch_id == name), None)


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


@dataclass(slots=True)
class _Fetched:
    """What came of a batch's results so far, by the ids of its requests; `unreadable` lines of the last time."""

    state: BatchState
    ours: frozenset[str]
    found: dict[str, tuple[ResultPlace, BatchResult]] = field(default_factory=dict)
    unreadable: int = 0

    @property
    def owes_answers(self) -> bool:
        """Whether there are answers that the provider has counted and we have not."""
        answers = sum(result.answered for _, result in self.found.values())
        return answers < self.state.done or self.unreadable > 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing more is to be expected: every request has its line, or as many as the provider counted."""
        counted = self.state.done + self.state.failed
        return len(self.found) == len(self.ours) or (not self.owes_answers and len(self.found) >= counted)


async def _fetched(batch: TrackedBatch, state: BatchState) -> Collected:
    """Keep the results here and return them, fetched again until they are whole or nothing more comes.

    Raises:
        Halted: the provider does not hand them out now.
    """
    desk, batch_id = batch.desk, batch.record.batch_id
    fetched = _Fetched(state, frozenset(await asyncio.to_thread(desk.book.request_ids, batch_id)))
    writer = await asyncio.to_thread(desk.book.open_results, batch_id)
    began = time.monotonic()
    try:
        for attempt in count(1):
            problem = await _fetch(batch, fetched, writer)
            if (problem is None and fetched.is_whole) or state.archived:
                break
            waited = time.monotonic() - began
            if attempt > desk.spec.limits.retries and waited >= desk.spec.limits.batch_missing_seconds:
                if problem is not None and not _are_gone(batch, problem):
                    raise batch.halted(f"could not be fetched: {problem}") from problem
                break
            await batch.wait(waited, share=1.0)
        await asyncio.to_thread(writer.commit)
    finally:
        writer.discard()
    lacking = LaneError(
        _LACKING,
        kind=ErrorKind.CANCELLED if state.cancelling else ErrorKind.EXPIRED,
        retry_after_seconds=0.0,
        may_be_billed=False,
    )
    if fetched.owes_answers:
        lost = fetched.ours - fetched.found.keys()
        await batch.forfeit(lost, f"{len(lost)} of its results are missing or cannot be read")
        lacking = lost_error(_LACKING)
    await batch.note(status=BatchStatus.COLLECTED)
    return Collected(fetched.found.values(), lacking)


async def _fetch(batch: TrackedBatch, fetched: _Fetched, writer: ResultWriter) -> LaneError | None:
    """Keep the lines that are new; return why they ended too early, None where they did not."""
    desk, fetched.unreadable = batch.desk, 0
    try:
        async with aclosing(desk.gateway.results(str(batch.record.provider_batch_id))) as lines:
            async for line in lines:
                try:
                    result = desk.gateway.result(line)
                    kept = desk.fit_to_keep(line, result)
                    result = result if kept == line else desk.gateway.result(kept)
                except LaneError:
                    fetched.unreadable += 1
                    continue
                if result.request_id in fetched.ours and result.request_id not in fetched.found:
                    fetched.found[result.request_id] = (writer.write(kept), result)
    except LaneError as exc:
        if not exc.retryable and exc.kind is not ErrorKind.NOT_FOUND:
            raise batch.halted(f"could not be fetched: {exc}") from exc
        return exc
    return None


def _are_gone(batch: TrackedBatch, problem: LaneError) -> bool:
    """Return whether results that are not found will not be any more: they would have been for long."""
    ended = datetime.fromisoformat(str(batch.record.ended_at))
    overdue = timedelta(seconds=batch.desk.spec.limits.batch_wait_seconds)
    return problem.kind is ErrorKind.NOT_FOUND and datetime.now(UTC) - ended > overdue
