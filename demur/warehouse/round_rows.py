"""Rows of rounds and of what belongs to a round: estimates, spending, calls, batches, marks of readers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import pyarrow as pa

from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import reading
from demur.warehouse.errors import RowError, WarehouseError, WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.statements import batch, records, statement, write_rows
from demur.warehouse.tables import Table
from demur.warehouse.tables.models import models
from demur.warehouse.transactions import Connection, transaction

# Rows of the table `rounds`, and queries about rounds.


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


def is_finished(con: Connection, round_id: str) -> bool:
    """Return whether a round is finished, and nobody has started it again since."""
    return any(records(con, "finished_round", [round_id]))


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


# Provenance of a round's scores: the release, the prompts, the judge, and the version of the code.
#
# Leaderboards compare only scores with the same provenance.


def record_evaluations(con: Connection, round_id: str, rows: Sequence[Mapping[str, object]], *, scored: bool) -> None:
    """Replace the stored provenance of a round's scores.

    Args:
        con: from `writing`.
        round_id: the round.
        rows: rows of `evaluations`.
        scored: whether the round was scored again; if False, the stored sample and version of the metrics' code do
            not change.
    """
    counted_by = None if scored else next(records(con, "scored_with", [round_id]), None)
    kept = {} if counted_by is None else counted_by
    write_rows(con, Table.EVALUATIONS, [{**row, **kept} for row in rows], keys=[[round_id]])


def record_judge_calibrations(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows of `judge_calibrations`; a row is ignored if the table already has its key."""
    write_rows(con, Table.JUDGE_CALIBRATIONS, rows, insert="insert_judge_calibrations")


# Cost estimates of rounds, and statistics of earlier rounds for new estimates.


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


# Sums of a round's spending.


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


# Rows of earlier rounds, from which a round learns which base instances it may draw and how novel its items are.


_DECIDING: Final = (
    Table.ROUNDS,
    Table.UNITS,
    Table.BASE_INSTANCES,
    Table.RECALLS,
    Table.SCREENINGS,
    Table.RELEASES,
    Table.RELEASED_ITEMS,
)
"""Tables that decide which base instances a round may draw, and which items were released before."""

Before = Mapping[Table, pa.Table]


def rows_before(con: Connection, round_id: str) -> Before:
    """Return the rows of all rounds that began before this round, for each table in `_DECIDING`."""
    return {
        table: con.sql(statement("rows_before_round", table), params=[round_id]).to_arrow_table() for table in _DECIDING
    }


def insert_before(con: Connection, rows: Before) -> None:
    """Insert the result of `rows_before` into a warehouse without rounds."""
    with transaction(con):
        for table, found in rows.items():
            with batch(con, found):
                con.execute(statement("insert_batch", table))


# Rows of the table `calls`: copies of the calls that the home's store of calls keeps.


@dataclass(frozen=True, slots=True)
class CallFault:
    """A stored call that is no valid row, with the reason."""

    call_id: str
    reason: str


def loaded_calls(con: Connection, round_id: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many calls of a round the warehouse has, and how many without an outcome, by stage and shard."""
    rows = con.execute(statement("loaded_calls"), [round_id]).fetchall()
    return {(str(stage), str(shard)): (int(calls), int(unanswered)) for stage, shard, calls, unanswered in rows}


def known_calls(con: Connection, calls: Sequence[str]) -> set[str]:
    """Return the ids among `calls` that the warehouse has."""
    return {str(call_id) for (call_id,) in con.execute(statement("known_calls"), [list(calls)]).fetchall()}


def load_calls(con: Connection, calls: Sequence[Mapping[str, object]]) -> list[CallFault]:
    """Insert calls, or replace them if they are there; return those that are no valid rows.

    An invalid batch is halved until single calls fail.
    """
    if not calls:
        return []
    try:
        rows = to_arrow(Table.CALLS, calls, "calls")
    except RowError as exc:
        if len(calls) == 1:
            return [CallFault(str(calls[0].get("call_id")), str(exc))]
        middle = len(calls) // 2
        return load_calls(con, calls[:middle]) + load_calls(con, calls[middle:])
    with batch(con, rows):
        con.execute(statement("insert_calls"))
    return []


# Rows of the table `batches`, from the records of provider batches in the state.
#
# A record has a field for each column of the table. The row of a batch has the values of its latest record.


_MOMENTS = ("intended_at", "submitted_at", "ended_at")


def published_batches(home: Home) -> list[dict[str, Any]]:
    """Return the rows of `batches` in the published copy, newest first; an empty list if nothing was published."""
    try:
        with reading(home) as con:
            return list(records(con, "list_batches", []))
    except WarehouseMissingError:
        return []


def fold_batches(con: Connection, round_id: str, batches: Sequence[Mapping[str, Any]]) -> int:
    """Insert or replace rows of `batches`; return their number.

    Args:
        con: from `writing`.
        round_id: round of the batches.
        batches: the latest record of each batch; times are ISO 8601 in UTC.
    """
    if not batches:
        return 0
    with batch(con, to_arrow(Table.BATCHES, [_row(one) for one in batches], f"batches of {round_id}")):
        con.execute(statement("replace_batch", Table.BATCHES))
    return len(batches)


def _row(record: Mapping[str, Any]) -> dict[str, object]:
    row = {name: record[name] for name in models()[Table.BATCHES].to_schema().columns}
    return row | {name: datetime.fromisoformat(row[name]) for name in _MOMENTS if row[name] is not None}


# Rows of the tables `audits` and `question_marks`: marks of human readers on items and on questions.


def record_audits(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Store the marks that readers gave to samples of items.

    `rows` are rows of `audits`; the column `seed` identifies the sample. For each reader and sample in `rows`, all
    earlier marks are deleted. If a reader marked the same item in two samples, only the later marks stay.

    Raises:
        RowError: a row is not valid for the table; nothing is written.
    """
    samples = sorted({(str(row["round_id"]), str(row["reader"]), int(str(row["seed"]))) for row in rows})
    write_rows(con, Table.AUDITS, rows, insert="replace_batch", drop="drop_audits", keys=samples)


def record_question_marks(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Store the marks that readers gave to questions, in place of earlier marks of the reader on the same question.

    Marks on other questions stay: a later page of a round has other questions under the same seed.

    Raises:
        RowError: a row is not valid for the table; nothing is written.
    """
    write_rows(con, Table.QUESTION_MARKS, rows, insert="replace_batch")


def record_audit(con: Connection, round_id: str, reader: str, item_id: str, row: Mapping[str, object] | None) -> None:
    """Replace a reader's marks on an item by `row`; delete the marks if `row` is None."""
    rows = [] if row is None else [row]
    key = (round_id, reader, item_id)
    write_rows(con, Table.AUDITS, rows, insert="replace_batch", drop="drop_audit", keys=[key])
