"""Folding of journals: the calls in the journals of shards are inserted into the table `calls`.

A journal is a file of JSON lines to which a running shard appends. Each line is one call with the columns of `calls`. A
line also has the call's prompt, which only the archived journal keeps. A killed process may leave an incomplete last
line. This line is ignored, since its answer was never used. Other invalid lines are reported, and the journal is moved
to quarantine.
"""

import gzip
import json
import uuid
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path

from demur.warehouse.archive import journal_name, keep_journal
from demur.warehouse.connection import Connection
from demur.warehouse.errors import RowError
from demur.warehouse.home import JOURNAL_SUFFIX, QUARANTINE, Home
from demur.warehouse.records import batch as as_batch
from demur.warehouse.rows import to_arrow
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table
from demur.warehouse.units import KnownCall

_BATCH_LINES = 1_000
_BATCH_BYTES = 8_000_000


@dataclass(frozen=True, slots=True)
class JournalFault:
    """An invalid line of a journal; `line` counts from 1."""

    path: Path
    line: int
    reason: str


@dataclass(slots=True)
class FoldReport:
    """Result of folding.

    `calls` is the number of new calls; `removed` are archived journals, `set_aside` quarantined ones.
    """

    calls: int = 0
    removed: list[Path] = field(default_factory=list)
    faults: list[JournalFault] = field(default_factory=list)
    set_aside: list[Path] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    call: dict[str, object]


def fold_journals(
    con: Connection, home: Home, round_id: str, stage: str, closed: Collection[str] | None = None
) -> FoldReport:
    """Insert the calls in a stage's journals into `calls`, each once, and archive the journals.

    A journal with invalid lines is moved to `journals/<round>/quarantine/` after its valid lines were inserted.

    Args:
        con: from `writing`.
        home: the home with the journals.
        round_id: round of the journals.
        stage: stage of the journals.
        closed: names of shards without a running writer; only their journals are read. None for all shards.
    """
    report = FoldReport()
    folder = home.journals(round_id, stage)
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        if closed is not None and path.name.partition(".")[0] not in closed:
            continue
        faults: list[JournalFault] = []
        with path.open("rb") as lines:
            size = _fold(con, path, journal_name(path), lines, round_id, stage, report, faults)
        report.faults += faults
        if path.stat().st_size != size:
            continue
        keep_journal(con, home, round_id, stage, path)
        if faults:
            aside = folder.parent / QUARANTINE / f"{stage}-{path.stem}-{uuid.uuid4().hex[:8]}.jsonl"
            aside.parent.mkdir(parents=True, exist_ok=True)
            path.rename(aside)
            report.set_aside.append(aside)
        else:
            path.unlink()
            report.removed.append(path)
    return report


def successful_calls(lines: Iterable[bytes]) -> dict[str, list[KnownCall]]:
    """Return the successful calls among the lines of a journal, by unit, oldest first."""
    found: dict[str, list[KnownCall]] = {}
    names = [field.name for field in fields(KnownCall)]
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):
            call = json.loads(line)
            if call["status"] == "ok":
                found.setdefault(call["unit_id"], []).append(KnownCall(**{name: call[name] for name in names}))
    return found


def fold_archived(con: Connection, path: Path, round_id: str, stage: str) -> int:
    """Insert the calls of an archived journal into `calls`; return the number of new calls."""
    report = FoldReport()
    with gzip.open(path) as lines:
        _fold(con, path, path.name.removesuffix(JOURNAL_SUFFIX), lines, round_id, stage, report, [])
    return report.calls


def _fold(
    con: Connection,
    path: Path,
    name: str,
    lines: Iterable[bytes],
    round_id: str,
    stage: str,
    report: FoldReport,
    faults: list[JournalFault],
) -> int:
    """Insert the calls of one journal in batches; return the number of bytes read."""
    read = 0
    batch: list[_Line] = []
    batch_bytes = 0
    for number, raw in enumerate(lines, start=1):
        read += len(raw)
        if not raw.strip():
            continue
        try:
            batch.append(_Line(number, _call(raw, round_id, stage) | {"journal": name}))
        except ValueError as exc:
            if raw.endswith(b"\n"):
                faults.append(JournalFault(path, number, str(exc)))
            continue
        batch_bytes += len(raw)
        if len(batch) >= _BATCH_LINES or batch_bytes >= _BATCH_BYTES:
            report.calls += _insert(con, path, batch, faults)
            batch = []
            batch_bytes = 0
    if batch:
        report.calls += _insert(con, path, batch, faults)
    return read


def _call(raw: bytes, round_id: str, stage: str) -> dict[str, object]:
    call = json.loads(raw)
    if not isinstance(call, dict):
        raise ValueError("not a JSON object")
    if call.get("round_id") != round_id or call.get("stage") != stage:
        raise ValueError(f"a call of {call.get('round_id')}/{call.get('stage')} in a journal of {round_id}/{stage}")
    started_at = call.get("started_at")
    if not isinstance(started_at, str):
        raise ValueError("started_at is missing; expected ISO 8601 in UTC")
    call.pop("prompt", None)
    return {**call, "started_at": datetime.fromisoformat(started_at)}


def _insert(con: Connection, path: Path, batch: list[_Line], faults: list[JournalFault]) -> int:
    """Insert a batch of calls; return the number of new calls. An invalid batch is halved until single lines fail."""
    try:
        rows = to_arrow(Table.CALLS, _distinct(batch), str(path))
    except RowError as exc:
        if len(batch) == 1:
            faults.append(JournalFault(path, batch[0].number, str(exc)))
            return 0
        middle = len(batch) // 2
        return _insert(con, path, batch[:middle], faults) + _insert(con, path, batch[middle:], faults)
    with as_batch(con, rows):
        [(count,)] = con.execute(statement("fold_calls")).fetchall()
    return int(count)


def _distinct(batch: list[_Line]) -> list[dict[str, object]]:
    """Return the calls of a batch without repeated call ids."""
    return list({str(line.call.get("call_id")): line.call for line in batch}.values())
