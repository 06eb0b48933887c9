"""Pruning of old rounds: it deletes the texts of a round, but not the release, the scores and the costs.

Pruning deletes the texts of requests and replies. It also deletes the rows of units from `generate` to `reward`, unless
another round plans the same unit. Then stored calls are deleted. Pruning can be repeated after a kill at any
point.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from demur.warehouse.connection import Connection
from demur.warehouse.home import Home
from demur.warehouse.release import MANIFEST, sha256
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table
from demur.warehouse.transaction import transaction

DROPPED: Final = (
    Table.PERTURBATIONS, Table.CHECKS, Table.VERDICTS, Table.ITEMS, Table.RESPONSES, Table.JUDGEMENTS,
    Table.COMPLETIONS, Table.GRADES, Table.BASE_REWARDS, Table.REWARDS, Table.FAILURES,
)  # fmt: skip
_KINDS: Final = {
    "plans": "plans", "releases": "releases", "data_docs": "pages of gates",
    "fetched": "fetched releases", "loader.duckdb": "warehouse", "warehouse.duckdb": "warehouse",
    "state.db": "prompts and replies",
}  # fmt: skip
"""Kinds of files, by the first part of their key."""


@dataclass(frozen=True, slots=True)
class OldRound:
    """A round that makes items; `age` is the number of later rounds of the same configuration."""

    round_id: str
    age: int
    started_at: datetime
    pruned_at: datetime | None
    release: str | None
    manifest_digest: str | None
    is_finished: bool


def old_rounds(con: Connection) -> list[OldRound]:
    """Return the rounds that make items, newest first."""
    return [OldRound(*row) for row in con.execute(statement("old_rounds")).fetchall()]


def has_release(home: Home, one: OldRound) -> bool:
    """Return whether the home has the round's release with an unaltered manifest."""
    manifest = home.releases / (one.release or "none") / MANIFEST
    return one.release is not None and manifest.is_file() and sha256(manifest) == one.manifest_digest


def rows_to_drop(con: Connection, round_id: str) -> int:
    """Return the number of rows that pruning would delete in the tables of `DROPPED`."""
    counts = [con.execute(statement("count_rows_of_round", table), [round_id]).fetchall() for table in DROPPED]
    return sum(int(count) for [(count,)] in counts)


def prune_round(con: Connection, round_id: str) -> None:
    """Delete the texts of a round in the loader's file."""
    with transaction(con):
        con.execute(statement("mark_pruned"), {"round": round_id, "now": datetime.now(UTC).replace(tzinfo=None)})
        drop_pruned(con)


def drop_pruned(con: Connection) -> None:
    """Delete the texts of all rounds that are marked as pruned."""
    stages = sorted({stage for table in DROPPED for stage in table.stages})
    con.execute(statement("prune_units"), {"stages": stages})
    for table in DROPPED:
        con.execute(statement("prune_rows", table))
    con.execute(statement("prune_calls"))


def sizes_of(home: Home) -> dict[str, int]:
    """Return the sizes in bytes of a home's files by kind, largest first."""
    found = [(home.key(path), path.stat().st_size) for path in home.root.rglob("*") if path.is_file()]
    sizes: dict[str, int] = {}
    for key, size in found:
        part = key.split("/")[0].removesuffix("-wal")
        kind = _KINDS.get(part, "other")
        sizes[kind] = sizes.get(kind, 0) + size
    return dict(sorted(sizes.items(), key=lambda one: -one[1]))
