"""Rows of the table `leases`, and sums of a round's spending."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from demur.warehouse.archive import keep_rows
from demur.warehouse.connection import Connection
from demur.warehouse.home import Home
from demur.warehouse.records import batch, records
from demur.warehouse.rows import to_arrow
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease: dollars of a stage's budget that one shard may spend in one run.

    `in_flight_usd` is the highest total cost of the requests in flight; None if unknown. If the shard's process is
    killed, the provider may bill these requests although they have no row in `calls`.
    """

    lease_id: str
    shard: str
    granted_usd: float
    opened_at: datetime
    in_flight_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """Dollars of one stage that count against a cap.

    `counted_usd` is the total. `unsure_usd` is the part of the total that may not have been billed: requests without an
    answer, and requests of killed processes.
    """

    stage: str
    counted_usd: float
    unsure_usd: float
    units: int


def fold_leases(con: Connection, home: Home, round_id: str, stage: str, leases: Sequence[Lease]) -> None:
    """Insert or update the leases of a stage in the table `leases`.

    No shard of the stage may run during this call: the unspent dollars in the lease of a running shard would be taken
    for spent dollars.
    """
    if not leases:
        return
    rows = [
        {
            "lease_id": lease.lease_id,
            "round_id": round_id,
            "stage": stage,
            "shard": lease.shard,
            "granted_usd": lease.granted_usd,
            "opened_at": lease.opened_at,
        }
        for lease in leases
    ]
    with batch(con, to_arrow(Table.LEASES, rows, f"leases of {round_id}/{stage}")):
        con.execute(statement("fold_leases"))
    keep_rows(con, home, round_id, Table.LEASES)


def spent(con: Connection, round_id: str) -> dict[str, Spent]:
    """Return the spending of each stage of a round, by stage."""
    return {
        str(row["stage"]): Spent(
            str(row["stage"]), float(row["counted_usd"]), float(row["unsure_usd"]), int(row["units"])
        )
        for row in records(con, "spent_by_stage", [round_id])
    }
