"""Folds budget ledgers into the table `leases`, and sums what a round has spent."""

from dataclasses import dataclass

from demur.warehouse.archive import keep_rows
from demur.warehouse.budget_ledger import BudgetLedger
from demur.warehouse.connection import Connection
from demur.warehouse.home import QUARANTINE, Home
from demur.warehouse.journals import FoldReport, fold_journals
from demur.warehouse.records import batch, records
from demur.warehouse.rows import to_arrow
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table


@dataclass(frozen=True, slots=True)
class Spent:
    """Dollars of one stage that count against a cap.

    `counted_usd` is all of them; `unsure_usd` the part that may or may not have been billed: requests whose answers
    never came, and what killed processes had under way.
    """

    stage: str
    counted_usd: float
    unsure_usd: float
    units: int


def fold_leases(con: Connection, home: Home, round_id: str, stage: str) -> None:
    """Write the leases of a stage's ledger into `leases`; the ledger stays until it is filled anew.

    Call it only while no shard of the stage is running: what a lease holds beyond its calls counts as spent.
    """
    path = home.budget_ledger(round_id, stage)
    leases = BudgetLedger(path).leases()
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
    with batch(con, to_arrow(Table.LEASES, rows, str(path))):
        con.execute(statement("fold_leases"))
    for lease in leases:
        if lease.in_flight_usd is not None:
            con.execute(statement("bound_lease"), [lease.in_flight_usd, lease.lease_id])
    keep_rows(con, home, round_id, Table.LEASES)


def fold_round(con: Connection, home: Home, round_id: str) -> list[FoldReport]:
    """Fold what every stage of a round has journalled and leased; call it only while nothing of the round runs."""
    journals = home.journals(round_id, "any").parent
    ledgers = home.budget_ledger(round_id, "any").parent
    folders = journals.iterdir() if journals.is_dir() else ()
    reports = [
        fold_journals(con, home, round_id, folder.name)
        for folder in sorted(folders)
        if folder.is_dir() and folder.name != QUARANTINE
    ]
    for ledger in sorted(ledgers.glob("[!.]*.jsonl")) if ledgers.is_dir() else ():
        fold_leases(con, home, round_id, ledger.stem)
    return reports


def spent(con: Connection, round_id: str) -> dict[str, Spent]:
    """Return what each stage of a round has spent so far, by stage."""
    return {
        str(row["stage"]): Spent(
            str(row["stage"]), float(row["counted_usd"]), float(row["unsure_usd"]), int(row["units"])
        )
        for row in records(con, "spent_by_stage", [round_id])
    }
