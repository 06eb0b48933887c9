"""The loader: inserts rows of shards, calls and batches into the warehouse."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final

from demur.engine.context import RoundContext, home_writing
from demur.engine.progress import Quoting, observer
from demur.engine.round_lock import check_held
from demur.engine.state.shared import SharedState, shared_state
from demur.warehouse.batches import fold_batches
from demur.warehouse.calls import load_calls, loaded_calls
from demur.warehouse.connection import Connection, writing
from demur.warehouse.errors import WarehouseBusyError
from demur.warehouse.landing import ShardRows
from demur.warehouse.load import load_shard

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
