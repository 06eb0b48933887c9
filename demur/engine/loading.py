"""The loader: landed rows enter the warehouse, the gate checks them, and readers get a copy."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import fields
from itertools import groupby
from typing import Final

from demur.engine.context import LOADER_WAIT_SECONDS, RoundContext, home_writing, loader_writing
from demur.engine.logs import observer
from demur.engine.progress_events import Quoting
from demur.engine.round_lock import check_held
from demur.engine.state.shared import SharedState, shared_state
from demur.errors import StageStopped
from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseBusyError
from demur.warehouse.gates import (
    ExpectationResult,
    Gate,
    GateBounds,
    StageGate,
    is_accounting,
    look_up,
    meaning,
    run_gate,
    standing_results,
    write_data_docs,
)
from demur.warehouse.home import Home
from demur.warehouse.landing import ShardRows, load_shard
from demur.warehouse.publication import Rebuilt, publish, rebuild
from demur.warehouse.round_rows import fold_batches, load_calls, loaded_calls
from demur.warehouse.transactions import Connection

# The loader: inserts rows of shards, calls and batches into the warehouse.


LOADER_TRY_SECONDS: Final = 0.5
MOST_WAITING: Final = 8
"""Most shards whose rows wait in memory while another process has the warehouse open."""


class StageLoader:
    """Loads the rows, calls and batches of a stage.

    Rows that are not loaded when the process ends are computed again from stored answers.
    """

    def __init__(self, context: RoundContext, stage: str) -> None:
        self._context = context
        self._stage = stage
        self._waiting: list[ShardRows] = []

    def ended(self, shard: str, rows: ShardRows | None, *, patient: bool = False) -> None:
        """Load a shard that has ended.

        If another process has the warehouse open, and `patient` is False, the rows wait for the next call.

        Raises:
            WarehouseError: the warehouse cannot be written.
        """
        self.keep(rows)
        if patient or len(self._waiting) > MOST_WAITING:
            self.load((shard,))
            return
        with suppress(WarehouseBusyError):
            self._load(writing(self._context.home, wait_seconds=LOADER_TRY_SECONDS, keep_open=True), (shard,))

    def keep(self, rows: ShardRows | None) -> None:
        """Let the rows of a shard wait for the next call."""
        if rows is not None:
            self._waiting.append(rows)

    def load(self, closed: Sequence[str] | None = None) -> None:
        """Load all rows that wait, and calls; wait while another process has the warehouse open.

        Args:
            closed: Shards that have ended. Default: all. Calls of other shards are not loaded.

        Raises:
            WarehouseError: the warehouse cannot be written.
        """
        self._load(home_writing(self._context.home), closed)

    def _load(self, warehouse: AbstractContextManager[Connection], closed: Sequence[str] | None) -> None:
        context = self._context
        check_held(context.home, context.round_id)
        state = shared_state(context.home)
        shards = None if closed is None else [(self._stage, shard) for shard in closed]
        with warehouse as con:
            while self._waiting:
                load_shard(con, self._waiting[0])
                del self._waiting[0]
            load_round_calls(con, state, context.round_id, shards)
            fold_batches(con, context.round_id, state.batch_rows(context.round_id, self._stage))


def load_round_calls(
    con: Connection, state: SharedState, round_id: str, shards: Sequence[tuple[str, str]] | None = None
) -> None:
    """Load the calls of a round that the warehouse lacks; if `shards` is given, those of these (stage, shard)."""
    for calls in state.calls_beyond(round_id, loaded_calls(con, round_id), shards):
        for fault in load_calls(con, calls):
            observer().notice(Quoting(f"call {fault.call_id} is no row of the table calls; left out", fault.reason))


# Changes and publication of the loader's file, which is the unpublished warehouse of a home.


def make_loader(context: RoundContext) -> None:
    """Create the loader's file of a new home, and the views of this version."""
    with loader_writing(context):
        pass


def publish_home(home: Home, *, midway: bool = False) -> None:
    """Replace the published warehouse by a copy of the loader's file; `midway` is True while a round continues."""
    publish(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice, midway=midway)


@contextmanager
def published_change(home: Home) -> Iterator[Connection]:
    """Yield a connection that changes the loader's file, and publish the changed file after the block."""
    with home_writing(home) as con:
        yield con
    publish_home(home)


# The gate at the end of a stage, with expectations of two kinds.
#
# If an integrity expectation fails, the round stops. If a sample expectation fails, the round gives a warning.


def enforce_gate(context: RoundContext, gate: StageGate, *, changed: bool = True) -> bool:
    """Check the rows of a stage against its expectations. Return False if earlier results were used.

    Args:
        context: The round.
        gate: The gate of the stage.
        changed: Whether rows may have changed. If False, valid earlier results are used in place of a new evaluation.

    Raises:
        StageStopped: an integrity expectation failed, or a sample expectation failed and gates.stop_on_sample is set.
            The caller must then publish the warehouse.
    """
    bounds = bounds_of(context)
    place = context.home, context.round_id, gate, bounds
    wait = LOADER_WAIT_SECONDS
    waiting = observer().notice
    standing = None if changed else standing_results(*place, wait_seconds=wait, on_wait=waiting)
    results = run_gate(*place, wait_seconds=wait, on_wait=waiting) if standing is None else standing
    failed = [result for result in results if not result.success]
    integrity = [result for result in failed if result.gate is Gate.INTEGRITY]
    if integrity:
        raise StageStopped(_integrity_message(context, gate, integrity))
    messages = list(_sample_messages(context, gate, failed))
    if messages and context.config.gates.stop_on_sample:
        raise StageStopped(
            f"{'; '.join(messages)}. gates.stop_on_sample is set, so the round stops here: set it to false to go on"
        )
    for message in messages:
        observer().notice(message)
    return standing is None


def document_gates(context: RoundContext, gates: Iterable[StageGate]) -> None:
    """Write Great Expectations' Data Docs of the round's gates."""
    wait = LOADER_WAIT_SECONDS
    waiting = observer().notice
    write_data_docs(context.home, context.round_id, gates, bounds_of(context), wait_seconds=wait, on_wait=waiting)


def bounds_of(context: RoundContext) -> GateBounds:
    """Return the bounds of a round's sample expectations."""
    return GateBounds(**{each.name: getattr(context.config.gates, each.name) for each in fields(GateBounds)})


def _integrity_message(context: RoundContext, gate: StageGate, failed: Sequence[ExpectationResult]) -> str:
    first, *others = failed
    more = f" {', '.join(other.expectation for other in others)} failed too." if others else ""
    remedy = "works on the missing units" if any(map(is_accounting, failed)) else "looks again"
    return (
        f"{gate.stage}: the integrity gate stops the round. {meaning(gate, first)} But "
        f"{first.expectation} ({first.subject}): observed {first.observed}, allowed {first.bound}. "
        f'`demur sql "{look_up(gate, context.round_id, first)}"` shows the rows.{more} All results stand in '
        f"expectation_results and {context.home.gate_pages(context.round_id) / 'index.html'}; the same command {remedy}"
    )


def _sample_messages(context: RoundContext, gate: StageGate, failed: Sequence[ExpectationResult]) -> Iterator[str]:
    for measure, results in groupby(failed, key=lambda result: result.expectation):
        first, *others = results
        more = f" and for {len(others)} more" if others else ""
        yield (
            f"{gate.stage}: the sample gate warns: {measure} is {first.observed} for {first.subject}{more}, "
            f'gates.{measure} wants {first.bound}. `demur sql "{look_up(gate, context.round_id, first)}"` shows more'
        )


# The warehouse made again: rows from the old file, calls from the store of calls.


def rebuild_home(home: Home) -> Rebuilt:
    """Replace the loader's file of a home. Errors are those of `warehouse.publication.rebuild`."""
    state = shared_state(home)

    def load_calls(con: Connection) -> None:
        for round_id in state.rounds():
            load_round_calls(con, state, round_id)

    return rebuild(home, load_calls, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)
