"""Provenance of a round's scores: the release, the prompts, the judge, and the version of the code.

Leaderboards compare only scores with the same provenance.
"""

from collections.abc import Mapping, Sequence

from demur.warehouse.connection import Connection
from demur.warehouse.records import records, write_rows
from demur.warehouse.tables import Table


def record_evaluations(con: Connection, round_id: str, rows: Sequence[Mapping[str, object]], *, scored: bool) -> None:
    """Replace the stored provenance of a round's scores.

    Args:
        con: from `writing`.
        round_id: the round.
        rows: rows of `evaluations`.
        scored: whether the round was scored again; if False, the stored sample and version of the metrics' code do
            not change.
    """
    counted_by = None if scored else next(records(con, "scored_with", [round_id]), None)
    kept = {} if counted_by is None else counted_by
    write_rows(con, Table.EVALUATIONS, [{**row, **kept} for row in rows], keys=[[round_id]])


def record_judge_calibrations(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows of `judge_calibrations`; a row is ignored if the table already has its key."""
    write_rows(con, Table.JUDGE_CALIBRATIONS, rows, insert="insert_judge_calibrations")
