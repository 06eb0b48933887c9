"""The loader: inserts landed shards, calls and batches into the warehouse."""

from collections.abc import Sequence
from typing import Final

from demur.engine.context import RoundContext, loader_writing
from demur.engine.progress import Quoting, observer
from demur.engine.round_lock import check_held
from demur.engine.state.shared import SharedState, shared_state
from demur.warehouse.batches import fold_batches
from demur.warehouse.calls import load_calls, loaded_calls
from demur.warehouse.connection import Connection, writing
from demur.warehouse.errors import WarehouseBusyError
from demur.warehouse.load import load_landed

LOADER_TRY_SECONDS: Final = 0.5


def load_stage(
    context: RoundContext,
    stage: str,
    closed: Sequence[str] | None = None,
    *,
    patient: bool = True,
) -> None:
    """Load the landed shards and the calls of a stage.

    Args:
        context: The round.
        stage: The name of the stage.
        closed: Shards that have ended. Default: all. Calls of other shards are not loaded.
        patient: Whether to wait while another process has the warehouse open. If False and the warehouse is open
            elsewhere, this call loads nothing, and the next call loads the rows.
    """
    check_held(context.home, context.round_id)
    warehouse = loader_writing(context) if patient else writing(context.home, wait_seconds=LOADER_TRY_SECONDS)
    state = shared_state(context.home)
    try:
        with warehouse as con:
            loaded = load_landed(con, context.home, context.round_id, stage)
            shards = None if closed is None else [(stage, shard) for shard in closed]
            load_round_calls(con, state, context.round_id, shards)
            fold_batches(con, context.round_id, state.batch_rows(context.round_id, stage))
    except WarehouseBusyError:
        if patient:
            raise
        return
    for damaged in loaded.quarantined:
        observer().notice(
            f"{stage}: shard {damaged.shard} is damaged ({damaged.reason}); kept at {damaged.kept_at}, its units "
            "are worked on again"
        )


def load_round_calls(
    con: Connection, state: SharedState, round_id: str, shards: Sequence[tuple[str, str]] | None = None
) -> None:
    """Load the calls of a round that the warehouse lacks; if `shards` is given, those of these (stage, shard)."""
    for calls in state.calls_beyond(round_id, loaded_calls(con, round_id), shards):
        for fault in load_calls(con, calls):
            observer().notice(Quoting(f"call {fault.call_id} is no row of the table calls; left out", fault.reason))
