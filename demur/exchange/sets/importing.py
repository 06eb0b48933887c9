"""Import of a set of rows: its items become a frozen release, as if a round had made them.

No model is asked and no round of the home is begun. The rows pass through the warehouse in a transaction that is
undone, so that the release has the files and the report that all releases have.
"""

import io
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Final

from demur.configuration.settings import check_writable
from demur.corpora.corpus_rows import FaultReason, OnBadRow, RowFault, shown
from demur.corpora.record_files import parse_map
from demur.engine.context import digest_of
from demur.engine.loading import published_change
from demur.errors import CorpusError, FlowError
from demur.exchange.sets.set_fields import FIELDS, SetFormat, SetRow, WithoutAnswers, format_of, parser, read_fields
from demur.exchange.sets.set_rows import Fetched, SourceRow, fetched, read_rows
from demur.levers.catalogue import load_catalogue
from demur.levers.vocabulary import Layout
from demur.programs.installation import package_versions
from demur.reports.reference_figures import UNSTATED, Benchmark, benchmark_of, references
from demur.reports.release_card import render_imported_card
from demur.reports.round_report.page import ReportFacts, read_report, render_report
from demur.warehouse.arrow_rows import write_table
from demur.warehouse.home import Home, segment
from demur.warehouse.releases.freezing import empty_tables, freeze, record_release
from demur.warehouse.releases.manifest import Release, read_manifest, sha256
from demur.warehouse.results.released import IMPORTED, fill
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection, undone

SHOWN_FAULTS: Final = 10
ROWS_AT_ONCE: Final = 1024
"""Rows that pass through JSON together: pyarrow reads blocks of less than 2 GiB."""
OF_DEMUR: Final = "base_id"
"""A field of items that demur released, under the published names of fields: they are no published benchmark."""
OF_ITEMS: Final = ("overview", "telling_items", "strata")
"""Tables of a report that say something before anybody has answered."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """A request to import a set of rows.

    Attributes:
        place: a file, a folder, or the address of a file or of a data set of the Hub.
        format: the format of the rows; None to tell it by the fields of the first row.
        name: the name of the release; None for the published name, or the name of the file.
        mapping: text such as `question=query,answers=answer.value`.
        licence: the licence of the rows; None for the licence that the source states.
        bad_rows: whether a faulty row stops the import or is counted and left out.
        without_answers: what is expected of rows that do not say it and have no answers.
        split: the split of a data set of the Hub; None if there is one, or for `test`.
        revision: the revision of a data set of the Hub; None for the newest.
    """

    place: str
    format: SetFormat | None = None
    name: str | None = None
    mapping: str | None = None
    licence: str | None = None
    bad_rows: OnBadRow = OnBadRow.FAIL
    without_answers: WithoutAnswers = WithoutAnswers.FAIL
    split: str | None = None
    revision: str | None = None


@dataclass(slots=True)
class SoundRows:
    """The sound rows of a set, and what was left out. `files` are the names and digests of the files."""

    format: SetFormat
    rows: list[SetRow] = field(default_factory=list)
    left_out: Counter[FaultReason] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    files: list[dict[str, object]] = field(default_factory=list)

    @property
    def layout(self) -> Layout:
        """The layout of all rows."""
        return self.rows[0].layout


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """A set as a release. `facts` is the entry `imported` of the manifest; `said` are notes for the user."""

    release: Release
    facts: Mapping[str, Any]
    said: tuple[str, ...]


def import_set(home: Home, request: ImportRequest) -> ImportedSet:
    """Freeze a set of rows as a release, or return the existing release with the same rows.

    Raises:
        CorpusError: the source cannot be read, or rows cannot be used; nothing was frozen.
        WarehouseError: the name cannot be used, or the release cannot be written.
    """
    check_writable(home.root)
    if request.name is not None:
        segment("release", request.name)
    with fetched(request.place, request.split, request.revision) as source:
        found = read_set(source.files, request)
    is_published = found.format is SetFormat.REFUSALBENCH and OF_DEMUR not in found.unread
    benchmark = benchmark_of(found.layout) if is_published else None
    name = request.name or (benchmark.name if benchmark else _named(request.place))
    facts = _facts(found, request, source, benchmark)
    with tempfile.TemporaryDirectory() as folder, published_change(home) as con:
        release = _frozen(con, home, Path(folder), name, found, facts)
    stored = read_manifest(release.path).model_dump().get("imported", {})
    said = _notes(found, facts, stored, request, source)
    return ImportedSet(release, stored, said)


def read_set(files: Sequence[Path], request: ImportRequest) -> SoundRows:
    """Return the rows of files.

    Raises:
        CorpusError: a file cannot be read, there are no rows, or a row is faulty and `bad_rows` is `fail`.
    """
    found: SoundRows | None = None
    parse = None
    places: dict[str, str] = {}
    known: frozenset[str] = frozenset()
    layout: tuple[Layout, str] | None = None
    for path in files:
        for row in read_rows(path):
            if found is None or parse is None:
                chosen = request.format or (
                    SetFormat.ITEMS if isinstance(row.record, RowFault) else format_of(row.record)
                )
                found = SoundRows(chosen)
                parse = parser(chosen, _paths(request, chosen), request.without_answers)
                known = read_fields(chosen)
            try:
                if isinstance(row.record, RowFault):
                    raise row.record
                one = parse(row.record)
                _check_id(one, row, places)
                layout = _checked_layout(one, row, layout)
            except RowFault as exc:
                found.left_out[exc.reason] += 1
                found.messages.append(f"{row.place}: {exc}")
                continue
            places[one.id] = row.place
            found.unread.update(name for name in row.record if name not in known)
            found.rows.append(one)
    if found is None:
        raise CorpusError(f"{request.place}: has no rows. Give a file with a row for each item")
    if found.messages and (request.bad_rows is OnBadRow.FAIL or not found.rows):
        raise CorpusError(_faults(request.place, found))
    found.files = [{"name": path.name, "sha256": sha256(path), "bytes": path.stat().st_size} for path in files]
    return found


def _paths(request: ImportRequest, chosen: SetFormat) -> dict[str, str]:
    if request.mapping is None:
        return {}
    try:
        return parse_map(request.mapping, FIELDS[chosen])
    except ValueError as exc:
        raise CorpusError(str(exc)) from exc


def _check_id(one: SetRow, row: SourceRow, places: Mapping[str, str]) -> None:
    if one.id in places:
        raise RowFault(
            FaultReason.DUPLICATE_ID,
            "id",
            f"{shown(one.id)} is already at {places[one.id]}",
            "each id once in a set",
            "remove one of the two rows, or give one of them a new id",
        )


def _checked_layout(one: SetRow, row: SourceRow, first: tuple[Layout, str] | None) -> tuple[Layout, str]:
    if first is not None and one.layout is not first[0]:
        here, there = ("one passage", "several") if one.layout is Layout.SINGLE else ("several passages", "one")
        raise RowFault(
            FaultReason.OTHER_LAYOUT,
            None,
            f"has {here}, and {first[1]} has {there}",
            "rows of one layout in a release, since single passages and several are judged by other criteria",
            "import the rows of each layout from a file of their own",
        )
    return first or (one.layout, row.place)


def _faults(place: str, found: SoundRows) -> str:
    shown_first = found.messages[:SHOWN_FAULTS]
    more = len(found.messages) - len(shown_first)
    rows = len(found.rows) + len(found.messages)
    reasons = ", ".join(f"{reason} {count}" for reason, count in found.left_out.items())
    lines = [*shown_first, *([f"... and {more} more"] if more else [])]
    lines.append(
        f"{place}: {len(found.messages)} of {rows} rows cannot be used ({reasons}); nothing was frozen. Repair them, "
        "or leave them out: --bad-rows skip"
    )
    return "\n".join(lines)


def _named(place: str) -> str:
    """Return the name of a release after a file, a folder or an address."""
    last = place.partition("?")[0].rstrip("/").replace("\\", "/").rpartition("/")[2]
    stem = re.sub(r"\.(jsonl|ndjson|json|csv|tsv|parquet)$", "", last, flags=re.IGNORECASE)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip(".-_")[:64].lower()
    if not name:
        raise FlowError(f"{place}: gives no name for the release. Name it: --name NAME")
    return name


def _facts(found: SoundRows, request: ImportRequest, source: Fetched, benchmark: Benchmark | None) -> dict[str, Any]:
    """Return the entry `imported` of the manifest."""
    expected = Counter(row.expected.value for row in found.rows)
    return {
        "format": found.format.value,
        "benchmark": benchmark.name if benchmark else None,
        "licence": (request.licence or source.licence or (benchmark and benchmark.licence) or UNSTATED).lower(),
        "address": source.address,
        "revision": source.revision,
        "split": source.split,
        "files": found.files,
        "map": _paths(request, found.format),
        "rows": len(found.rows) + found.left_out.total(),
        "left_out": {reason.value: count for reason, count in sorted(found.left_out.items())},
        "passages_without_text": sum(row.textless for row in found.rows),
        "fields_not_kept": sorted(found.unread),
        "layout": found.layout.value,
        "source_questions": len({row.source_id for row in found.rows}),
        "expected": dict(sorted(expected.items())),
        "with_class": sum(row.lever_class is not None for row in found.rows),
    }


def _notes(
    found: SoundRows, facts: Mapping[str, Any], stored: Mapping[str, Any], request: ImportRequest, source: Fetched
) -> tuple[str, ...]:
    notes = list(source.notes)
    if found.left_out:
        notes += [f"left out: {message}" for message in found.messages[:SHOWN_FAULTS]]
    if facts["benchmark"] and not request.licence and not source.licence:
        notes.append(f"licence {facts['licence']}, as {facts['benchmark']} was published; --licence states another")
    if stored.get("licence") != facts["licence"]:
        notes.append(
            f"these rows were frozen before, with the licence {stored.get('licence')}, and a release is never changed; "
            "--name makes another one"
        )
    return tuple(notes)


def _frozen(
    con: Connection, home: Home, folder: Path, name: str, found: SoundRows, facts: Mapping[str, Any]
) -> Release:
    """Freeze the rows, and record the release in the home's warehouse. Files in `folder` can be deleted afterwards."""
    described = {"imported": facts, "seed": 0, "packages": package_versions(), "recorded": []}
    round_id = f"{name}-{IMPORTED}"
    if next(records(con, "round_origin", [round_id]), None) is not None:
        raise FlowError(f"--name {name}: this home has a round '{round_id}'. Give the release another name")
    tables = empty_tables(con)
    files = {table: folder / f"{table}.parquet" for table in tables}
    for table, schema in tables.items():
        rows = _records(found.rows) if table == "items" else iter(())
        write_table(_arrow(rows, schema), files[table])
    whose = {"round": round_id, "name": name, "seed": 0, "configuration": {"asked_for": IMPORTED}, "digest": ""}
    with undone(con):
        fill(con, files, whose)

        def pages(label: str) -> Mapping[str, str]:
            report = ReportFacts(
                title=name,
                release=label,
                date=datetime.now(UTC).date().isoformat(),
                corpus=", ".join(str(file["name"]) for file in found.files[:3]),
                demur=version("demur"),
                references=references(facts["benchmark"], label, ()),
            )
            page = render_report(read_report(con, round_id, report, OF_ITEMS))
            return {"report.html": page, "README.md": render_imported_card(label, facts)}

        release = freeze(con, home, name, round_id, described, pages)
    if release.created:
        record_release(con, release)
    return release


def _arrow(rows: Iterator[Mapping[str, Any]], schema: Any) -> Any:
    """Return rows as an Arrow table, by way of JSON: pyarrow imports pandas to read Python values."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    typed = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    parts = [pa.Table.from_batches([], schema=schema)]
    while some := list(islice(rows, ROWS_AT_ONCE)):
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in some).encode()
        whole = arrow_json.ReadOptions(block_size=len(lines) + 1)
        parts.append(arrow_json.read_json(io.BytesIO(lines), whole, typed).select(schema.names).cast(schema))
    return pa.concat_tables(parts)


def _records(rows: Sequence[SetRow]) -> Iterator[dict[str, Any]]:
    """Yield the rows under the fields of a release's items."""
    levers = load_catalogue() if any(row.lever for row in rows) else None
    originals = _originals(rows)
    for row in sorted(rows, key=lambda one: one.id):
        question, passages = originals[row.source_id]
        lever = levers.named(row.lever) if levers is not None and row.lever else None
        fits = lever is not None and (lever.lever_class, lever.intensity) == (row.lever_class, row.intensity)
        relevant = [at for at, one in enumerate(row.passages) if one.relevant]
        yield {
            "id": row.id,
            "source_id": row.source_id,
            "generator_model": row.generator,
            "perturbation_class": row.lever_class and row.lever_class.value,
            "intensity": row.intensity and row.intensity.value,
            "expected_rag_behavior": row.expected.value,
            "lever_selected": row.lever,
            "original_query": question,
            "original_answers": list(row.answers),
            "perturbed_query": row.question,
            "implementation_reasoning": row.reasoning,
            "verifier_votes": [{"verifier": who, "vote": vote} for who, vote in row.votes],
            "original_grounding": list(passages),
            "grounding": [one.text for one in row.passages],
            "signal_indices": relevant,
            "noise_indices": [at for at in range(len(row.passages)) if at not in relevant],
            "kind": "perturbed",
            "base_id": digest_of("imported", row.source_id),
            "lever_id": lever.id if lever is not None and fits else None,
            "layout": row.layout.value,
            "domain": row.domain,
            "title": row.title,
            "language": row.language,
        }


def _originals(rows: Sequence[SetRow]) -> dict[str, tuple[str | None, tuple[str, ...]]]:
    """Return question and passages before any change, by source question; None and () where they are not known.

    If no row of a source question has them and all its rows have the same texts, these texts are the original.
    """
    stated = {row.source_id: (row.original_question, row.original_passages) for row in rows if row.original_question}
    shown_texts: dict[str, set[tuple[str, tuple[str, ...]]]] = {}
    for row in rows:
        shown_texts.setdefault(row.source_id, set()).add((row.question, tuple(one.text for one in row.passages)))
    return {
        source: stated.get(source) or (next(iter(texts)) if len(texts) == 1 else (None, ()))
        for source, texts in shown_texts.items()
    }
