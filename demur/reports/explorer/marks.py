"""Marks that readers give on the explorer's pages, stored as `demur audit import` stores those of a file."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from demur.levers.models import Strict
from demur.levers.vocabulary import AuditCriterion
from demur.warehouse.explorer.snapshot import Snapshot
from demur.warehouse.home import Home

Mark = Literal["pass", "fail", ""]
_VALUES = {"pass": True, "fail": False, "": None}


class Reader(Strict):
    """The form in which a reader gives a name."""

    reader: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class Marks(Strict):
    """The form of an item: five criteria, a note, where to go then."""

    lever_fidelity: Mark = ""
    intensity_achieved: Mark = ""
    uncertainty_induced: Mark = ""
    linguistic_soundness: Mark = ""
    ground_truth_alignment: Mark = ""
    note: Annotated[str, Field(max_length=4_000)] = ""
    then: Literal["stay", "next"] = "stay"
    carried: Annotated[str, Field(max_length=4_000)] = ""


def store(home: Home, round_id: str, item_id: str, reader: str, marks: Marks) -> None:
    """Store a reader's marks of an item and publish.

    An item that the reader picked, where the lot would have given another, is stored as such: it says nothing of pass
    rates.

    Raises:
        FlowError: there is no such round or item.
    """
    from demur.reports.audits.marks import MarkedItem, record_mark

    given = {criterion: _VALUES[getattr(marks, criterion.value)] for criterion in AuditCriterion}
    picked = not _is_drawn(home, round_id, item_id, reader)
    item = MarkedItem(item_id=item_id, criteria=given, note=marks.note or None, suspected=picked)
    record_mark(home, round_id, reader, item)


def _is_drawn(home: Home, round_id: str, item_id: str, reader: str) -> bool:
    """Return whether the lot gave a reader this item: now, or when it was marked first."""
    snapshot = Snapshot(home)
    earlier = [row for row in snapshot.rows("audit_marks", round=round_id, id=item_id) if row["reader"] == reader]
    if earlier:
        return not earlier[0]["suspected"]
    return any(row["item_id"] == item_id for row in snapshot.rows("audit_drawn", round=round_id, reader=reader))


def marks_of(
    home: Home, round_id: str, item_id: str, reader: str | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what this reader marked on an item, and what others did, from the copy as it is now."""
    if reader is None:
        return {}, []
    rows = Snapshot(home).rows("audit_marks", round=round_id, id=item_id)
    own = next((row for row in rows if row["reader"] == reader), {})
    return own, [row for row in rows if row["reader"] != reader]


def next_unread(home: Home, round_id: str, reader: str, after: str | None) -> str | None:
    """Return an item that a reader has not wholly marked, drawn by lot; None where all are read."""
    found = Snapshot(home).rows("audit_unread", round=round_id, reader=reader, id=after)
    return None if not found else str(found[0]["item_id"])
