"""Readers' marks: validation and import of the files that readers download, and the gate of the audit."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, Field, StrictBool, StringConstraints, ValidationError

from demur.configuration.sections import AuditBounds
from demur.engine.loading import published_change
from demur.errors import FlowError, StageStopped
from demur.levers.lever_models import Strict
from demur.levers.vocabulary import AuditCriterion, ReadObject
from demur.warehouse.home import Home
from demur.warehouse.round_rows import record_audit, record_audits
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# Readers' marks: validation of the files that readers download from a page, and import of marks on items.
#
# A file is one JSON object: {"object", "round", "seed", "reader", "items": [{"item_id", "criteria": {name: mark},
# "note", "suspected"}]}. `object` says what was read. A criterion that is null or missing is not marked.


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
MOST_NAMED = 3


class MarkedCard(Strict):
    """A reader's note on what was read at once; `item_id` is the id of the item, response or question.

    `suspected` is True if it is outside the random draw. Pass rates leave out such an item.
    """

    item_id: Name
    note: str | None = Field(default=None, max_length=10_000)
    suspected: StrictBool = False

    @property
    def said(self) -> str | None:
        """The note without spaces around it; None if it is empty."""
        return (self.note or "").strip() or None


class MarksFile(Strict):
    """The marks of one reader on one page."""

    round: Name
    seed: Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
    reader: Name
    items: tuple[MarkedCard, ...]


_Marks = TypeVar("_Marks", bound=MarksFile)


class MarkedItem(MarkedCard):
    """A reader's marks of an item. An unmarked criterion is None."""

    criteria: dict[AuditCriterion, StrictBool | None]

    @property
    def says_something(self) -> bool:
        """True if anything is marked or noted."""
        return bool(self.said) or any(mark is not None for mark in self.criteria.values())


class AuditFile(MarksFile):
    """The marks of one reader on a sample of a round's items."""

    object: Literal["items"] = "items"
    items: tuple[MarkedItem, ...]


@dataclass(frozen=True, slots=True)
class Audited:
    """An imported file with counts of its items.

    `whole` counts items with marks on all five criteria, `partly` counts items with marks on some criteria, and
    `unread` counts items without marks.
    """

    path: Path
    file: AuditFile
    whole: int
    partly: int
    unread: int


class _AnyFile(BaseModel):
    """The field of a file that says what was read; the first pages had items alone, and did not say so."""

    object: ReadObject = ReadObject.ITEMS


def object_of(paths: Sequence[Path]) -> ReadObject:
    """Return what was read on the pages of these files.

    Raises:
        FlowError: a file cannot be read or says nothing known, or the files are about different objects.
    """
    found = {path: _validated(path, _AnyFile).object for path in paths}
    first, *others = found.items()
    if other := next((one for one in others if one[1] is not first[1]), None):
        raise FlowError(f"{first[0]} has marks on {first[1]}, and {other[0]} on {other[1]}. Import them one by one")
    return first[1]


def read_marks(paths: Sequence[Path], shape: type[_Marks]) -> list[tuple[Path, _Marks]]:
    """Read and validate files of marks that pages of one object downloaded, each with its path.

    Raises:
        FlowError: a file cannot be read or is invalid, or two files are of one reader and page. The message names the
            first invalid fields and the allowed values.
    """
    files = [(path, _validated(path, shape)) for path in paths]
    seen: dict[tuple[str, str, int], Path] = {}
    for path, file in files:
        ids = [card.item_id for card in file.items]
        if twice := sorted({item_id for item_id in ids if ids.count(item_id) > 1}):
            raise FlowError(f"{path}: items: {_named(twice)} occurs more than once; keep each item once")
        page = (file.round, file.reader, file.seed)
        if page in seen:
            raise FlowError(
                f"{path}: reader {file.reader!r} marked this sample in {seen[page]} too. Give only one of the two files"
            )
        seen[page] = path
    return files


_Shape = TypeVar("_Shape", bound=BaseModel)


def _validated(path: Path, shape: type[_Shape]) -> _Shape:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else "is not UTF-8"
        raise FlowError(f"{path}: cannot be read ({why}). Give a file that the page downloaded") from exc
    try:
        return shape.model_validate_json(text)
    except ValidationError as exc:
        raise FlowError(_reasons(path, exc)) from exc


def _reasons(path: Path, exc: ValidationError) -> str:
    problems = []
    for error in exc.errors(include_url=False)[:MOST_NAMED]:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"]).lstrip(".")
        criterion = place.endswith(".[key]") or ".criteria." in place
        if error["loc"] == ("object",):
            problems.append(f"object: {error['input']!r} is not one of {', '.join(ReadObject)}")
        elif criterion and error["type"] == "enum":
            allowed = ", ".join(AuditCriterion)
            problems.append(
                f"{place.removesuffix('.[key]')}: {error['input']!r} is not a criterion; allowed: {allowed}"
            )
        elif criterion and error["type"] == "bool_type":
            problems.append(f"{place}: {error['input']!r} is not true, false or null")
        else:
            problems.append(f"{place or 'the file'}: {error['msg']}")
    more = exc.error_count() - len(problems)
    end = f"; and {more} more" if more > 0 else ""
    return f"{path}: {'; '.join(problems)}{end}. Give a file that the audit page downloaded"


def import_audits(home: Home, paths: Sequence[Path]) -> list[Audited]:
    """Import the marks of all files in one transaction, and publish the warehouse.

    Earlier marks of the same reader on the same sample are replaced.

    Raises:
        FlowError: a file is invalid, or names an unknown round or item.
    """
    files = read_marks(paths, AuditFile)
    store_marks(home, files, _rows, record_audits)
    return [_counted(path, file) for path, file in files]


class ReaderMark(Strict):
    """One reader's marks on one item of a round."""

    round_id: Name
    reader: Name
    item: MarkedItem


def record_marks(home: Home, marks: Sequence[ReaderMark]) -> None:
    """Store marks of single items, and publish the warehouse after the last mark.

    New marks replace the reader's earlier marks on the same item. The marks are stored with the seed of the round as
    the seed of their sample. Marks of an item that is no longer in the round are ignored.
    """
    with published_change(home) as con:
        seeds = {str(row["round_id"]): int(row["seed"]) for row in records(con, "audit_rounds")}
        for one in marks:
            round_id = one.round_id
            item_id = one.item.item_id
            known = {str(row["item_id"]) for row in records(con, "audit_strata", [round_id])}
            if item_id in known:
                file = AuditFile(round=round_id, seed=seeds[round_id], reader=one.reader, items=(one.item,))
                rows = _rows(con, Path("marks"), file, datetime.now(UTC))
                record_audit(con, round_id, one.reader, item_id, rows[0] if rows else None)


def _rows(con: Connection, path: Path, file: AuditFile, now: datetime) -> list[Mapping[str, object]]:
    require_round(con, path, file)
    strata = {str(row["item_id"]): row for row in records(con, "audit_strata", [file.round])}
    require_known(
        path,
        file.items,
        strata,
        f"{len(strata)} perturbed items of round {file.round}. If the round was made again, draw a new sample: "
        f"demur audit sample {file.round}",
    )
    return [
        {
            "round_id": file.round,
            "item_id": item.item_id,
            "reader": file.reader,
            "class": strata[item.item_id]["class"],
            "intensity": strata[item.item_id]["intensity"],
            "seed": file.seed,
            **{criterion.value: item.criteria.get(criterion) for criterion in AuditCriterion},
            "note": item.said,
            "imported_at": now,
            "suspected": item.suspected,
        }
        for item in file.items
        if item.says_something
    ]


def _counted(path: Path, file: AuditFile) -> Audited:
    marked = [sum(mark is not None for mark in item.criteria.values()) for item in file.items]
    whole = sum(number == len(AuditCriterion) for number in marked)
    unread = sum(number == 0 for number in marked)
    return Audited(path, file, whole, len(marked) - whole - unread, unread)


def seed_of_page(con: Connection, round_id: str, seed: int | None) -> int:
    """Return the seed of a page: `seed` or, if it is None, the round's own.

    Raises:
        FlowError: this home has no such round.
    """
    seeds = {str(row["round_id"]): int(row["seed"]) for row in records(con, "audit_rounds")}
    if round_id not in seeds:
        raise FlowError(f"round {round_id!r} is not one of {', '.join(seeds) or 'none yet: run demur round'}")
    return seeds[round_id] if seed is None else seed


def require_round(con: Connection, path: Path, file: MarksFile) -> None:
    """Check that a file is about a round of this home.

    Raises:
        FlowError: it is not.
    """
    rounds = [str(row["round_id"]) for row in records(con, "audit_rounds")]
    if file.round not in rounds:
        raise FlowError(
            f"{path}: round {file.round!r} is not one of {', '.join(rounds) or 'none yet'}. Import into the home "
            "that the sample was drawn from (DEMUR_HOME)"
        )


def store_marks(
    home: Home,
    files: Sequence[tuple[Path, _Marks]],
    rows_of: Callable[[Connection, Path, _Marks, datetime], Sequence[Mapping[str, object]]],
    record: Callable[[Connection, Sequence[Mapping[str, object]]], None],
) -> None:
    """Check all files, store their rows in one transaction, and publish the warehouse."""
    with published_change(home) as con:
        now = datetime.now(UTC)
        record(con, [row for path, file in files for row in rows_of(con, path, file, now)])


def require_known(path: Path, cards: Iterable[MarkedCard], known: Container[str], remedy: str) -> None:
    """Check that every id in a file of marks is known; `remedy` names the known ids and the way on.

    Raises:
        FlowError: something else is marked.
    """
    if strange := [card.item_id for card in cards if card.item_id not in known]:
        raise FlowError(f"{path}: {_named(strange)} {'is' if len(strange) == 1 else 'are'} not among the {remedy}")


def _named(ids: Sequence[str]) -> str:
    shown = ", ".join(repr(one) for one in ids[:MOST_NAMED])
    return shown + (f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else "")


# The gate of the human audit, which is checked before a round is released.


UNAUDITED: Final = "unaudited"
AUDITED: Final = "audited"


def audit_state(con: Connection, round_id: str, bounds: AuditBounds | None) -> dict[str, Any]:
    """Return the state of a round's audit: `state` (audited or unaudited) and `why`.

    If people have read items, the state also has the number of readers and items, the pass rate with its interval, and
    kappa.

    A round is audited if the number of readers and their agreement meet the bounds. Without bounds, one reader is
    enough.

    Raises:
        StageStopped: even the upper end of the pass rate's 95 % interval is below `min_pass`.
    """
    row = next(records(con, "audit_state", [round_id]), None)
    if row is None:
        return {"state": UNAUDITED, "why": "nobody has read its items"}
    found = {name: row[name] for name in ("readers", "items", "pass_rate", "low", "high", "kappa")}
    if bounds is None:
        return {"state": AUDITED, "why": "people read some of its items; no bounds were set (gates.audit)", **found}
    if row["readers"] < bounds.readers:
        why = f"{row['readers']} of the {bounds.readers} readers of gates.audit.readers have read its items"
        return {"state": UNAUDITED, "why": why, **found}
    if row["high"] < bounds.min_pass:
        raise StageStopped(
            f"release: gates.audit.min_pass {bounds.min_pass:g} is not met: {row['pass_rate']:.1%} of the "
            f"{row['items']} items that were read pass (95 % interval up to {row['high']:.1%}), so nothing is frozen. "
            f"`demur sql \"SELECT * FROM audit_pass_rates WHERE round_id = '{round_id}'\"` shows where; make the items "
            "anew, or lower the bound, and give the same command again"
        )
    if bounds.min_kappa is not None:
        if not row["pairs"] or not row["agreed"] and row["kappa"] is None:
            return {"state": UNAUDITED, "why": "no two readers have a kappa (gates.audit.min_kappa)", **found}
        if row["kappa"] is not None and row["kappa"] < bounds.min_kappa:
            least = f"gates.audit.min_kappa {bounds.min_kappa:g}"
            why = f"two readers agree with a kappa of {row['kappa']:.2f}, below {least}"
            return {"state": UNAUDITED, "why": why, **found}
    return {"state": AUDITED, "why": "gates.audit is met", **found}
