"""Sums of a round's spending."""

from dataclasses import dataclass

from demur.warehouse.connection import Connection
from demur.warehouse.records import records


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


def spent(con: Connection, round_id: str) -> dict[str, Spent]:
    """Return the spending of each stage of a round, by stage."""
    return {
        str(row["stage"]): Spent(
            str(row["stage"]), float(row["counted_usd"]), float(row["unsure_usd"]), int(row["units"])
        )
        for row in records(con, "spent_by_stage", [round_id])
    }
