"""Rows of the table `calls`: copies of the calls that the home's store of calls keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demur.warehouse.connection import Connection
from demur.warehouse.errors import RowError
from demur.warehouse.records import batch
from demur.warehouse.rows import to_arrow
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table


@dataclass(frozen=True, slots=True)
class CallFault:
    """A stored call that is no valid row, with the reason."""

    call_id: str
    reason: str


def loaded_calls(con: Connection, round_id: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many calls of a round the warehouse has, and how many without an outcome, by stage and shard."""
    rows = con.execute(statement("loaded_calls"), [round_id]).fetchall()
    return {(str(stage), str(shard)): (int(calls), int(unanswered)) for stage, shard, calls, unanswered in rows}


def known_calls(con: Connection, calls: Sequence[str]) -> set[str]:
    """Return the ids among `calls` that the warehouse has."""
    return {str(call_id) for (call_id,) in con.execute(statement("known_calls"), [list(calls)]).fetchall()}


def load_calls(con: Connection, calls: Sequence[Mapping[str, object]]) -> list[CallFault]:
    """Insert calls, or replace them if they are there; return those that are no valid rows.

    An invalid batch is halved until single calls fail.
    """
    if not calls:
        return []
    try:
        rows = to_arrow(Table.CALLS, calls, "calls")
    except RowError as exc:
        if len(calls) == 1:
            return [CallFault(str(calls[0].get("call_id")), str(exc))]
        middle = len(calls) // 2
        return load_calls(con, calls[:middle]) + load_calls(con, calls[middle:])
    with batch(con, rows):
        con.execute(statement("insert_calls"))
    return []
