"""Figures of rounds from the published copy, for monitoring: counts of units and requests, tokens, dollars, times.

Figures contain no texts of items, prompts or replies.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from demur.warehouse.statements import statement
from demur.warehouse.tables import UNIT_TABLES
from demur.warehouse.transactions import Connection


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round. Times are UTC; `is_newest` tells whether the round is the newest of its configuration."""

    round_id: str
    configuration: str
    status: str
    started_at: datetime
    finished_at: datetime | None
    cap_usd: float | None
    is_newest: bool
    release: str | None
    released_at: datetime | None


@dataclass(frozen=True, slots=True)
class UnitCount:
    """Number of units of a stage with one outcome (planned, landed, failed); failed units are split by `reason`."""

    stage: str
    outcome: str
    reason: str | None
    units: int


class CallCount(NamedTuple):
    """Requests of a stage to one model with one outcome, which is `ok` or a class of errors such as `rate_limit`.

    `queue_seconds` is the sum of the times that requests waited for a free place before sending.
    """

    stage: str
    model: str
    outcome: str
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float
    queue_seconds: float


def round_records(con: Connection) -> list[RoundRecord]:
    """Return all rounds, the newest first."""
    return [RoundRecord(*row) for row in con.execute(statement("figures_rounds")).fetchall()]


def unit_counts(con: Connection, rounds: Sequence[str]) -> dict[str, list[UnitCount]]:
    """Return the numbers of units of rounds, by round id."""
    return _by_round(con.execute(_units(), {"rounds": list(rounds)}).fetchall(), UnitCount)


def call_counts(con: Connection, rounds: Sequence[str]) -> dict[str, list[CallCount]]:
    """Return the figures of rounds' requests, by round id."""
    return _by_round(con.execute(statement("figures_calls"), {"rounds": list(rounds)}).fetchall(), CallCount)


def spent_usd(con: Connection, rounds: Sequence[str]) -> dict[str, float | None]:
    """Return the dollars that a round has spent of its cap, by round id; None if the price of a request is unknown.

    Rounds without requests are absent.
    """
    return dict(con.execute(statement("figures_spent"), {"rounds": list(rounds)}).fetchall())


def count_calls(calls: Iterable[Mapping[str, Any]]) -> list[CallCount]:
    """Return the figures of calls; each has the columns of the table `calls`."""
    return added(
        CallCount(
            str(call["stage"]),
            str(call["model"]),
            str(call.get("error_class") or call["status"]),
            1,
            *(call.get(name) or 0 for name in CallCount._fields[4:]),
        )
        for call in calls
    )


def added(figures: Iterable[CallCount]) -> list[CallCount]:
    """Return the sums of figures with equal stage, model and outcome."""
    sums: dict[tuple[str, str, str], CallCount] = {}
    for one in figures:
        key = one.stage, one.model, one.outcome
        before = sums.get(key)
        numbers: Iterable[Any] = one[3:] if before is None else map(sum, zip(before[3:], one[3:], strict=True))
        sums[key] = CallCount(*key, *numbers)
    return list(sums.values())


@cache
def _units() -> str:
    every = " UNION ALL ".join(f"SELECT unit_id FROM {table}" for table in UNIT_TABLES)
    return statement("figures_units").replace("${every_unit}", every)


def _by_round(rows: Iterable[tuple[Any, ...]], kind: type[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for round_id, *values in rows:
        found.setdefault(str(round_id), []).append(kind(*values))
    return found
