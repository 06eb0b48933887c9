"""The work on a shard: units run concurrently, every answer is stored, and all rows are returned together."""

import atexit
import gc
import json
import traceback
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from textwrap import shorten
from typing import Final, Protocol

from demur.engine.budget import CapReached, shard_budget
from demur.engine.concurrency import FirstWaves, UnitQueue, as_completed, surely_beyond, unreadable_message
from demur.engine.context import RoundContext, digest_of
from demur.engine.logs import observer
from demur.engine.recordings import ReplyKey
from demur.engine.state.calls import CallStoreError, KnownCalls
from demur.engine.state.shared import SharedState, shared_state
from demur.engine.units import OpenWork, Row, Rows, Unit, UnitWork
from demur.errors import FlowError
from demur.levers.explain import LeverError
from demur.programs.call_scope import CallScope, SentPrompts, call_scope
from demur.programs.errors import ErrorKind, Halted, LaneError, ProgramError, ReplyError
from demur.warehouse.errors import LandingError, WarehouseError, disk_explained
from demur.warehouse.landing import Frame, ShardRows, landable
from demur.warehouse.plans import Order

THRESHOLD: Final = 20_000
"""Number of new objects that starts a collection of the youngest generation. Python's default is 700."""


@cache
def freeze_long_lived_objects() -> None:
    """Freeze import-time objects and raise the garbage collector's threshold, once in a process."""
    gc.freeze()
    atexit.register(gc.unfreeze)  # else C++ libraries report leaked objects at exit
    gc.set_threshold(THRESHOLD, *gc.get_threshold()[1:])


LONGEST_DETAIL: Final = 200
SUBJECT: Final = ("item_id", "response_id", "respondent", "replicate", "judge")
"""Inputs of a unit that say what it is about, for `failures.subject`."""


@dataclass(frozen=True, slots=True)
class LeavingOut:
    """When a model is left out: its remaining units then fail without a request.

    Attributes:
        label: The input of units with the label of the asked model.
        most_failed: The most failed units of one label. With more, the label is left out.
        labels: Labels that are left out from the start.
    """

    label: str
    most_failed: float
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ShardReport:
    """The result of the work on a shard.

    Attributes:
        shard: The name of the shard.
        landed: The number of units with rows.
        failed: The number of failed units.
        halted: The reason why further units stayed pending; None if all units ended.
        lacking_usd: The possible cost of one more request, if a cap halted the shard.
        reasons: The number of failed units by reason.
        details: For each reason, the error text of one failed unit.
        failed_by: The number of failed units by the label of the asked model, if models can be left out.
        why: For each of these labels, the error text of one failed unit.
        rows: The rows to load; None if a halted shard has none.
    """

    shard: str
    landed: int
    failed: int
    halted: str | None = None
    lacking_usd: float | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)
    failed_by: Mapping[str, int] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    rows: ShardRows | None = None


class Run(Protocol):
    """The run of a stage to which a shard belongs."""

    def goes_on(self) -> bool:
        """Return whether the run has not ended."""

    def locked(self, shard: str) -> AbstractAsyncContextManager[Callable[[], Awaitable[None]]]:
        """Wait until no other process can work on a shard. Yield what waits for this again after a lock was lost."""


async def work_shard(
    context: RoundContext,
    stage: str,
    open_work: OpenWork,
    order: Order,
    concurrency: int,
    reply_key: ReplyKey | None = None,
    leaving_out: LeavingOut | None = None,
    waves: FirstWaves | None = None,
    run: Run | None = None,
) -> ShardReport:
    """Work on every unit of an order and return all rows at once.

    If the rows of a unit cannot land, the unit's requests are sent once more. If the new rows cannot land either, the
    unit fails. If work halts (`Halted`) or the run of the stage ends, units in flight end and no further unit begins.

    Args:
        context: The round.
        stage: The name of the stage.
        open_work: Opens the models and programs of the stage.
        order: The units of the shard.
        concurrency: The number of units in work at a time.
        reply_key: The key of the stage's replies, for their reuse.
        leaving_out: When a model is left out; None if no model is.
        waves: The first requests of the stage's models; None if requests are not held back.
        run: The run of the stage; None if it does not end.

    Raises:
        LandingError: answers cannot be stored. Answers that are stored already stay there.
    """
    round_id = context.round_id
    shard = order.shard
    results = ShardResults(round_id, stage, shard, context.config.gates.unreadable, leaving_out)
    state = shared_state(context.home)
    async with nullcontext() if run is None else run.locked(shard) as confirm:
        calls = state.calls(round_id, stage, shard)
        try:
            async with calls, open_work(context) as work:
                freeze_long_lived_objects()
                batches = state.batches(round_id, stage)
                scope = partial(
                    CallScope,
                    round_id,
                    stage,
                    call_store=calls,
                    budget=shard_budget(context, stage, calls),
                    batches=batches,
                    prompts=SentPrompts(),
                    waves=waves,
                    confirm=confirm,
                )
                units = partial(_units, order, scope, reply_key)
                known = _known(state, order)
                await _work_on(work, units(known, results.is_open), run, concurrency, results)
                if again := results.fail_unlandable():
                    await _work_on(work, units({}, again.__contains__), run, concurrency, results)
                    reported = set(results.failures)
                    results.fail_unlandable()
                    for unit_id in results.failures.keys() - reported:
                        observer().failed(stage, str(results.failures[unit_id]["reason"]), unit=unit_id)
        except CallStoreError:
            with disk_explained(calls.path, LandingError):
                raise
    tables = results.tables()
    rows = ShardRows.of(round_id, stage, shard, tables) if tables or results.halted is None else None
    why = None if results.halted is None else str(results.halted)
    lacking = results.halted.usd if isinstance(results.halted, CapReached) else None
    reasons = Counter(str(row["reason"]) for row in results.failures.values())
    details = {str(row["reason"]): _in_short(str(row["detail"])) for row in results.failures.values()}
    return ShardReport(
        order.shard,
        len(results.rows),
        len(results.failures),
        why,
        lacking,
        reasons,
        details,
        results.failed_by,
        {label: _in_short(said) for label, said in results.why.items()},
        rows,
    )


def _in_short(detail: str) -> str:
    return shorten(detail, LONGEST_DETAIL, placeholder=" ...")


async def outcome_of(work: UnitWork, unit: Unit) -> Rows | ProgramError:
    """Return the rows of a unit, or the error with which the unit failed."""
    with call_scope(unit.scope):
        try:
            return await work(unit)
        except ProgramError as exc:
            return exc
        except (OSError, MemoryError, FlowError, LeverError, WarehouseError):
            raise
        except Exception as exc:
            if unit.scope.last_call_id is None:
                raise
            return _UnusableError.of(exc)
        finally:
            unit.scope.close()


async def _work_on(
    work: UnitWork, units: Iterator[Unit], run: Run | None, concurrency: int, results: "ShardResults"
) -> None:
    async def one(unit: Unit) -> Rows | ProgramError:
        if (label := results.left_out(unit)) is not None:
            said = f"{label} is left out, since too many of its requests failed"
            return LaneError(said, kind=ErrorKind.LEFT_OUT)
        return await outcome_of(work, unit)

    queue = UnitQueue(units, run)
    async with aclosing(as_completed(one, queue, concurrency)) as ended:
        async for unit, outcome in ended:
            if isinstance(outcome, Halted):
                results.halted = results.halted or outcome
                queue.stopped = True
            elif results.add(unit, outcome):
                observer().advanced(results.stage, 1)
                if isinstance(outcome, ProgramError):
                    observer().failed(results.stage, _reason(outcome), unit=unit.unit_id)
                if problem := results.too_many_unreadable():
                    results.halted = results.halted or Halted(problem)
                    queue.stopped = True
    if queue.ended and results.halted is None:
        results.halted = Halted("the run of its stage has ended")


class _UnusableError(ProgramError):
    """The answer of a unit cannot become rows."""

    @classmethod
    def of(cls, exc: Exception) -> "_UnusableError":
        """Return the error for an unexpected exception, with the place where it was raised."""
        at = traceback.extract_tb(exc.__traceback__)[-1]
        return cls(f"{type(exc).__name__}: {exc} ({Path(at.filename).name}:{at.lineno})")


@dataclass(slots=True)
class ShardResults:
    """The results of a shard's ended units: rows by table, or one row of the table `failures`.

    `halted` is the reason why further units stay pending; None if nothing halted the shard.
    """

    round_id: str
    stage: str
    shard: str
    most_unreadable: float
    leaving_out: LeavingOut | None = None
    rows: dict[str, Rows] = field(default_factory=dict)
    failures: dict[str, Row] = field(default_factory=dict)
    halted: Halted | None = None
    unreadable: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    _failed: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _unusable: set[str] = field(default_factory=set)
    _origins: dict[str, Row] = field(default_factory=dict)
    _landable: Mapping[str, Frame] = field(default_factory=dict)

    def is_open(self, unit_id: str) -> bool:
        """Return whether a unit has no outcome yet."""
        return unit_id not in self._origins

    def add(self, unit: Unit, outcome: Rows | ProgramError) -> bool:
        """Set the outcome of a unit. Return False if an earlier outcome of the unit was replaced, otherwise True."""
        first = self.is_open(unit.unit_id)
        self._origins[unit.unit_id] = {
            **unit.key(self.round_id),
            "stage": self.stage,
            "class": unit.lever_class,
            "intensity": unit.intensity,
            "call_id": unit.scope.last_call_id,
            "subject": json.dumps({name: unit.inputs[name] for name in SUBJECT if name in unit.inputs}),
        }
        self.failures.pop(unit.unit_id, None)
        self.unreadable.pop(unit.unit_id, None)
        self._unusable.discard(unit.unit_id)
        problem = outcome.problem if isinstance(outcome, ReplyError) else unit.scope.unreadable
        if problem is not None:
            self.unreadable[unit.unit_id] = problem
        label = None if self.leaving_out is None else unit.inputs[self.leaving_out.label]
        if label is not None:
            self._failed[label].discard(unit.unit_id)
        if isinstance(outcome, ProgramError):
            self._fail(unit.unit_id, outcome)
            if label is not None and _reason(outcome) != ErrorKind.LANGUAGE:
                self._failed[label].add(unit.unit_id)
                self.why.setdefault(label, str(outcome))
        else:
            self.rows[unit.unit_id] = outcome
        return first

    def stamp(self, unit_id: str) -> str:
        """Return the stamp of an ended unit."""
        return str(self._origins[unit_id]["stamp"])

    @property
    def failed_by(self) -> dict[str, int]:
        """The number of failed units by the label of the asked model. Units in a foreign language are not counted."""
        return {label: len(units) for label, units in self._failed.items() if units}

    def left_out(self, unit: Unit) -> str | None:
        """Return the label of a unit's model if this model is left out, else None."""
        bound = self.leaving_out
        if bound is None:
            return None
        label: str = unit.inputs[bound.label]
        return label if label in bound.labels or len(self._failed[label]) > bound.most_failed else None

    def too_many_unreadable(self) -> str | None:
        """Return a message if too many replies are unreadable, otherwise None.

        If models can be left out, unreadable replies are failures of their model, and the others go on.
        """
        problems = list(self.unreadable.values())
        ended = len(self._origins)
        if self.leaving_out is not None or not surely_beyond(len(problems), ended, self.most_unreadable):
            return None
        return unreadable_message(problems[-1], len(problems), ended, self.most_unreadable)

    def fail_unlandable(self) -> frozenset[str]:
        """Set a failure for each unit whose rows cannot land; return the ids of all units with unusable answers."""
        self._landable, errors = landable(self.round_id, self.stage, self.shard, self.rows)
        for unit_id, error in errors.items():
            del self.rows[unit_id]
            self._fail(unit_id, _UnusableError(str(error)))
        return frozenset(self._unusable)

    def tables(self) -> dict[str, Frame]:
        """Return all rows by table. Call `fail_unlandable` first, which validates the rows."""
        failures = {"failures": [*self.failures.values()]} if self.failures else {}
        return {**self._landable, **failures}

    def _fail(self, unit_id: str, error: ProgramError) -> None:
        detail = str(error)
        if isinstance(error, ReplyError):
            detail = f"{detail}; the reply as it came: {error.reply}"
        if isinstance(error, _UnusableError):
            self._unusable.add(unit_id)
        self.failures[unit_id] = {
            **self._origins[unit_id],
            "reason": _reason(error),
            "detail": detail[:20_000],
            "failed_at": datetime.now(UTC),
        }


def _reason(error: ProgramError) -> str:
    return error.kind if isinstance(error, LaneError) else "unreadable"


def _known(state: SharedState, order: Order) -> dict[str, KnownCalls]:
    """Return the stored calls of the units of an order, by unit, without answers that could not be read."""
    unreadable_at = {one.unit_id: one.unreadable_at or "" for one in order}
    found = state.known(list(unreadable_at))
    for unit_id, known in found.items():
        known.answers = [one for one in known.answers if one.started_at > unreadable_at[unit_id]]
    return found


def _units(
    order: Order,
    scope: "partial[CallScope]",
    reply_key: ReplyKey | None,
    known: Mapping[str, KnownCalls],
    wanted: Callable[[str], bool],
) -> Iterator[Unit]:
    """Yield the units of an order whose ids are wanted.

    `scope` makes the call scope of a unit. The answers in `known`, by unit, are used instead of new requests.
    """
    for planned in order:
        if not wanted(planned.unit_id):
            continue
        inputs = json.loads(planned.payload)
        of_planned = known.get(planned.unit_id, KnownCalls())
        of_unit = scope(
            planned.unit_id,
            known=tuple(of_planned.answers),
            unanswered=of_planned.unanswered,
            seed=digest_of(*scope.args, planned.payload),
            decided=None if reply_key is None else reply_key.decided(inputs),
        )
        yield Unit(planned.unit_id, planned.stamp, inputs, planned.lever_class, planned.intensity, of_unit)
