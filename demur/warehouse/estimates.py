"""Cost estimates of rounds, and statistics of earlier rounds for new estimates."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from demur.warehouse.connection import Connection
from demur.warehouse.records import records, write_rows
from demur.warehouse.tables import Table


def record_estimates(con: Connection, round_id: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Replace the stored estimates of a round."""
    write_rows(con, Table.ESTIMATES, rows, keys=[[round_id]])


def planned_with(con: Connection, round_id: str) -> str | None:
    """Return the digest of the configuration that a round's estimates are for; None without estimates."""
    row = next(records(con, "estimates_made_with", [round_id]), None)
    return None if row is None else str(row["config_digest"])


def estimated(con: Connection, round_id: str) -> dict[str, float]:
    """Return the estimated dollars of a round by stage, for stages with known prices."""
    return {str(row["stage"]): float(row["cost_usd"]) for row in records(con, "estimates_by_stage", [round_id])}


def past_replies(con: Connection, round_id: str) -> Iterator[dict[str, Any]]:
    """Yield the mean sizes of requests and replies in other rounds; one row per stage, role, provider and model."""
    return records(con, "past_replies", [round_id])


def past_yield(con: Connection, round_id: str) -> Iterator[dict[str, Any]]:
    """Yield one row per generator, with counts of its perturbations in other rounds."""
    return records(con, "past_yield", [round_id])


def past_asking(con: Connection, round_id: str) -> dict[str, int]:
    """Return five counts about other rounds.

    The keys are `asked` (passages that models were asked about), `accepted` (accepted questions of askers), `mended`
    (units with repaired questions), `proofs` (proofs that rate their question) and `judged` (judged proofs).
    """
    return {name: int(number) for name, number in next(records(con, "past_asking", [round_id])).items()}


def past_codes(con: Connection, round_id: str, respondents: Sequence[str]) -> tuple[int, int]:
    """Return the judgements of these respondents in other rounds, and how many needed no judge."""
    row = next(records(con, "past_codes", [round_id, list(respondents)]))
    return int(row["judged"]), int(row["by_code"])


def past_screening(con: Connection, round_id: str, screeners: Sequence[str]) -> tuple[int, int]:
    """Return how many base instances of other rounds these screeners answered, and how many of them passed."""
    row = next(records(con, "past_screening", [round_id, list(screeners)]))
    return int(row["screened"]), int(row["solved"])
