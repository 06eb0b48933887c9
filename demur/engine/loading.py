"""The loader: inserts landed shards and journals into the warehouse."""

from collections.abc import Sequence
from typing import Final

from demur.engine.context import RoundContext, loader_writing
from demur.engine.progress import Quoting, observer
from demur.engine.round_lock import check_held
from demur.engine.state.shared import shared_state
from demur.warehouse.archive import keep_rows
from demur.warehouse.batches import fold_batches
from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseBusyError
from demur.warehouse.journals import fold_journals
from demur.warehouse.leases import fold_leases
from demur.warehouse.load import load_landed
from demur.warehouse.replay import replay_shards
from demur.warehouse.tables import Table

LOADER_TRY_SECONDS: Final = 0.5


def load_stage(
    context: RoundContext,
    stage: str,
    closed: Sequence[str] | None = None,
    *,
    patient: bool = True,
    elsewhere: bool = False,
) -> None:
    """Load the landed shards and closed journals of a stage.

    Args:
        context: The round.
        stage: The name of the stage.
        closed: Shards whose journals are closed. Default: all.
        patient: Whether to wait while another process has the warehouse open. If False and the warehouse is open
            elsewhere, this call loads nothing, and the next call loads the rows.
        elsewhere: Whether shards ran on other machines. Such shards may be in the home's store only.
    """
    check_held(context.home, context.round_id)
    warehouse = loader_writing(context) if patient else writing(context.home, wait_seconds=LOADER_TRY_SECONDS)
    try:
        with warehouse as con, shared_state(context.home).folding(context.round_id, stage, closed) as brought:
            loaded = load_landed(con, context.home, context.round_id, stage)
            for shard in closed or (None,):
                if shard is None or elsewhere:
                    replay_shards(con, context.home, context.round_id, stage, shard)
            folded = fold_journals(con, context.home, context.round_id, stage, closed=closed)
            fold_batches(con, context.home, context.round_id, brought.batches[stage])
            if closed is None:
                fold_leases(con, context.home, context.round_id, stage, brought.leases[stage])
                keep_rows(con, context.home, context.round_id, Table.LOADS)
    except WarehouseBusyError:
        if patient:
            raise
        return
    for damaged in loaded.quarantined:
        observer().notice(
            f"{stage}: shard {damaged.shard} is damaged ({damaged.reason}); kept at {damaged.kept_at}, its units "
            "are worked on again"
        )
    for fault in folded.faults:
        observer().notice(Quoting(f"{fault.path}: line {fault.line} is no call; it was left out", fault.reason))
