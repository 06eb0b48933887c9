"""A round's cost estimate at its start, and rates of earlier rounds for the next estimate."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from demur.warehouse.connection import Connection
from demur.warehouse.records import records, write_rows
from demur.warehouse.tables import Table


def record_estimates(con: Connection, round_id: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write down the plan of a round, in place of any older one."""
    write_rows(con, Table.ESTIMATES, rows, keys=[[round_id]])


def planned_with(con: Connection, round_id: str) -> str | None:
    """Return the digest of the configuration that a round's estimates were made with, None where there are none."""
    row = next(records(con, "estimates_made_with", [round_id]), None)
    return None if row is None else str(row["config_digest"])


def estimated(con: Connection, round_id: str) -> dict[str, float]:
    """Return the dollars that each stage of a round was estimated at, by stage, where prices were known."""
    return {str(row["stage"]): float(row["cost_usd"]) for row in records(con, "estimates_by_stage", [round_id])}


def past_replies(con: Connection, round_id: str) -> Iterator[dict[str, Any]]:
    """Yield, per stage, role and model of a provider, the mean use of requests in other rounds."""
    return records(con, "past_replies", [round_id])


def past_yield(con: Connection, round_id: str) -> Iterator[dict[str, Any]]:
    """Yield, per generator, how many perturbations of other rounds were asked for, verified and accepted."""
    return records(con, "past_yield", [round_id])


def past_asking(con: Connection, round_id: str) -> dict[str, int]:
    """Return how many passages other rounds asked, how many questions were accepted, mended, proved and judged."""
    return {name: int(number) for name, number in next(records(con, "past_asking", [round_id])).items()}


def past_screening(con: Connection, round_id: str, screeners: Sequence[str]) -> tuple[int, int]:
    """Return how many base instances the same screeners saw in other rounds, and how many all of them solved."""
    row = next(records(con, "past_screening", [round_id, list(screeners)]))
    return int(row["screened"]), int(row["solved"])
