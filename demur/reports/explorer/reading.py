"""The page for reading and marking an item, without other readers' marks."""

from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import LeverClass
from demur.reports.explorer.marks import ADJUDICATION, Marking
from demur.reports.explorer.pages import NotFoundError, Page, head_of, load_instructions
from demur.reports.pages.compared import beside, compared, passages
from demur.warehouse.explorer.snapshot import Snapshot


def reading_page(
    snapshot: Snapshot, marking: Marking, round_id: str, item_id: str, reader: str | None, *, adjudicates: bool
) -> Page:
    """Return the page of an item with the reader's own marks. An adjudicator also sees the marks of all readers."""
    found = snapshot.rows("audit_text", round=round_id, id=item_id)
    if not found:
        head_of(snapshot, round_id)
        raise NotFoundError(f"round {round_id} has no perturbed item '{item_id}' that can be marked")
    [item] = found
    marks = marking.of_item(round_id, item_id)
    shown = passages(item["original_passages"] or [], item["passages"] or [], {})
    readings = {name: row for name, row in marks.items() if not name.endswith(ADJUDICATION)}
    own = f"{reader}{ADJUDICATION}" if adjudicates else reader
    return Page(
        "read",
        {
            "page": "audit",
            "round": round_id,
            "item": item,
            "reader": reader,
            "own": marks.get(own or "", {}),
            "queue": marking.queue(round_id, reader) if reader else None,
            "readings": readings if adjudicates else {},
            "adjudicates": adjudicates,
            "class_note": load_taxonomy().definition(LeverClass(item["class"])),
            "instruction": load_instructions().get(item["lever_id"], ""),
            "question": compared(item["original_question"], item["question"]),
            **beside(shown),
        },
    )
