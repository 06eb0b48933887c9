"""Which round a command speaks of: the one that is named, or the newest that was run here."""

from demur.flows.errors import FlowError
from demur.warehouse.connection import Connection
from demur.warehouse.records import records


def chosen_round(con: Connection, round_id: str | None) -> str:
    """Return a round that is there; without a name the newest one, imported rounds left out.

    Raises:
        FlowError: there is no such round, or none at all.
    """
    rounds = {str(row["round_id"]): bool(row["is_imported"]) for row in records(con, "rounds_by_age")}
    if round_id is None:
        round_id = next((name for name, is_imported in rounds.items() if not is_imported), None)
    if round_id is None:
        raise FlowError("no round has begun here yet: `demur round` begins one")
    if round_id not in rounds:
        raise FlowError(f"round '{round_id}' is not one of {', '.join(list(rounds)[:20])}")
    return round_id
