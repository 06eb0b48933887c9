"""Figures of rounds from the published copy, for monitoring: counts of units and requests, tokens, dollars, times.

Figures contain no texts of items, prompts or replies.
"""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from demur.warehouse.connection import Connection
from demur.warehouse.home import JOURNAL_SUFFIX, Home
from demur.warehouse.statements import statement
from demur.warehouse.tables import UNIT_TABLES


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


def known_calls(con: Connection, round_id: str, calls: Iterable[str]) -> set[str]:
    """Return the ids among `calls` that the warehouse has."""
    values = {"rounds": [round_id], "calls": list(calls)}
    return {call_id for (call_id,) in con.execute(statement("figures_known"), values).fetchall()}


def archived_calls(con: Connection, home: Home, round_id: str) -> Iterator[bytes]:
    """Yield the lines (calls as JSON) of those archived journals of a round whose calls the published copy lacks."""
    known = {str(name) for (name,) in con.execute(statement("figures_journals"), {"round": round_id}).fetchall()}
    for name, packed in _journals(home, round_id):
        if name not in known:
            yield from gzip.decompress(packed).splitlines()


def _journals(home: Home, round_id: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and compressed content of each archived journal of a round."""
    folder = home.archived_journals(round_id, "any").parent
    if home.store is not None:
        for one in home.store.list(f"{home.key(folder)}/"):
            if (packed := home.store.get(one.key)) is not None:
                yield one.key.rpartition("/")[2].removesuffix(JOURNAL_SUFFIX), packed
        return
    for path in sorted(folder.glob(f"*/[!.]*{JOURNAL_SUFFIX}")):
        with suppress(FileNotFoundError):
            yield path.name.removesuffix(JOURNAL_SUFFIX), path.read_bytes()


def count_calls(lines: Mapping[str, Mapping[str, Any]]) -> list[CallCount]:
    """Return the figures of calls; `lines` has the parsed journal line of each call, by call id."""
    return added(
        CallCount(
            str(call["stage"]),
            str(call["model"]),
            str(call.get("error_class") or call["status"]),
            1,
            *(call.get(name) or 0 for name in CallCount._fields[4:]),
        )
        for call in lines.values()
    )


def parse_calls(lines: Iterable[bytes]) -> dict[str, Mapping[str, Any]]:
    """Return the requests in lines of journals, by call id; incomplete lines are left out."""
    found: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):
            call = json.loads(line)
            found[str(call["call_id"])] = {name: call.get(name) for name in _READ} | {"stage": call["stage"]}
    return found


def added(figures: Iterable[CallCount]) -> list[CallCount]:
    """Return the sums of figures with equal stage, model and outcome."""
    sums: dict[tuple[str, str, str], CallCount] = {}
    for one in figures:
        key = one.stage, one.model, one.outcome
        before = sums.get(key)
        numbers: Iterable[Any] = one[3:] if before is None else map(sum, zip(before[3:], one[3:], strict=True))
        sums[key] = CallCount(*key, *numbers)
    return list(sums.values())


_READ = ("model", "status", "error_class", *CallCount._fields[4:])


@cache
def _units() -> str:
    every = " UNION ALL ".join(f"SELECT unit_id FROM {table}" for table in UNIT_TABLES)
    return statement("figures_units").replace("${every_unit}", every)


def _by_round(rows: Iterable[tuple[Any, ...]], kind: type[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for round_id, *values in rows:
        found.setdefault(str(round_id), []).append(kind(*values))
    return found
