"""Rows of the table `rounds`, and queries about rounds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from demur.warehouse.connection import Connection
from demur.warehouse.errors import WarehouseError
from demur.warehouse.records import records
from demur.warehouse.statements import statement


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A row of `rounds`, except the columns for times and status."""

    round_id: str
    name: str
    seed: int
    layout: str
    bases_wanted: int
    screeners: Sequence[str] = ()
    generators: Sequence[str] = ()
    verifiers: Sequence[str] = ()
    respondents: Sequence[str] = ()
    judges: Sequence[str] = ()
    config: Mapping[str, object] = field(default_factory=dict)
    config_digest: str = ""
    catalogue_digest: str = ""
    judgings: Sequence[Mapping[str, str]] | None = None
    started_by: str | None = None


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def open_round(con: Connection, row: RoundRow) -> None:
    """Insert a round with status open, or update the configuration, but not the start, of an existing round."""
    values = asdict(row) | {"config": json.dumps(row.config, sort_keys=True), "now": _now()}
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    con.execute(statement("open_round"), values | lists)


def record_corpus_rows(con: Connection, round_id: str, rows: Sequence[Mapping[str, str | int]]) -> None:
    """Store with a round how many rows of its file of questions are usable or left out, by reason.

    `rows` have the keys `outcome`, `reason` and `rows`.
    """
    con.execute(statement("record_corpus_rows"), {"round_id": round_id, "read": json.dumps({"corpus_rows": rows})})


def corpus_rows_of(con: Connection, round_id: str) -> list[dict[str, object]] | None:
    """Return what `record_corpus_rows` stored with a round; None if there is nothing."""
    for row in records(con, "corpus_rows_of_round", [round_id]):
        found: list[dict[str, object]] | None = json.loads(row["read"]) if row["read"] else None
        return found
    return None


def require_unpruned(con: Connection, round_id: str) -> None:
    """Check that a round was not pruned.

    Raises:
        WarehouseError: the round was pruned. To continue the round would mean to pay for all its answers again.
    """
    for row in records(con, "pruned_round", [round_id]):
        raise WarehouseError(
            f"round {round_id}: was pruned on {row['pruned_at']:%Y-%m-%d}. Its release stays, but continuing the round "
            "would mean paying for all its answers again. Start another round (--round-id)"
        )


def finish_round(con: Connection, round_id: str) -> None:
    """Set the status of a round to finished."""
    con.execute(statement("finish_round"), [_now(), round_id])


def open_rounds(con: Connection, name: str, config_digest: str) -> list[tuple[str, int]]:
    """Return id and seed of the unfinished rounds of a configuration, newest first."""
    rows = records(con, "open_rounds", [name, config_digest])
    return [(str(row["round_id"]), int(str(row["seed"]))) for row in rows]


def known_bases(con: Connection, round_id: str) -> set[str]:
    """Return the ids of base instances that all probes of a round answered correctly; an empty set without probes."""
    return {str(row["base_id"]) for row in records(con, "known_bases", [round_id])}


def used_bases(con: Connection, round_id: str, last_rounds: int | None) -> set[str]:
    """Return the ids of the base instances that other rounds use.

    Only the `last_rounds` newest of the other rounds are searched; if None, all other rounds are searched.
    """
    return {str(row["base_id"]) for row in records(con, "used_bases", [round_id, round_id, last_rounds, last_rounds])}


def newest_of_documents(con: Connection) -> str:
    """Return the id of the newest round that has read documents.

    Raises:
        WarehouseError: there is no such round.
    """
    found = next(iter(records(con, "newest_of_documents", [])), None)
    if found is None:
        raise WarehouseError("no round has read documents here yet: run `demur round documents`")
    return str(found["round_id"])


def chosen_round(con: Connection, round_id: str | None) -> str:
    """Return the id of an existing round: `round_id`, or for None the newest round that makes items.

    Raises:
        WarehouseError: there is no such round.
    """
    rounds = {str(row["round_id"]): bool(row["is_aside"]) for row in records(con, "rounds_by_age")}
    if round_id is None:
        round_id = next((name for name, is_aside in rounds.items() if not is_aside), None)
    if round_id is None:
        raise WarehouseError("no round has begun here yet: start one with `demur round`")
    if round_id not in rounds:
        raise WarehouseError(f"round '{round_id}' is not one of {', '.join(list(rounds)[:20])}")
    return round_id
