"""The page of questions on documents: each question beside its passages, with the sentences of its proof marked."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from demur.corpora.documents.passages import heading_of, shown_text
from demur.reports.explorer.filters import PageQuery, Word
from demur.reports.explorer.pages import Page, head_of
from demur.reports.pages.compared import compared
from demur.reports.pages.links import To
from demur.warehouse.explorer.snapshot import Snapshot

PAGE_SIZE: Final = 25


class QuestionFilter(PageQuery):
    """The query of a list of questions."""

    outcome: Word | None = None
    by_whom: Word | None = None
    reason: Word | None = None
    kind: Word | None = None
    language: Word | None = None
    document: Word | None = None
    text: Word | None = None


def questions_page(snapshot: Snapshot, round_id: str, wanted: QuestionFilter, to: To) -> Page:
    """Return one page of the questions on a round's documents."""
    head_of(snapshot, round_id)
    values = {"round": round_id, **wanted.model_dump(exclude={"page"})}
    place = {"limit": PAGE_SIZE, "offset": (wanted.page - 1) * PAGE_SIZE}
    table = snapshot.table("questions", {**values, **place})
    total = snapshot.rows("questions_count", **values)[0]["questions"]
    return Page(
        "questions",
        {
            "page": "questions",
            "round": round_id,
            "questions": [{**row, "passages": list(_passages(row))} for row in table.rows],
            "all_rows": snapshot.statement("questions", values),
            **wanted.links(to, "questions", round_id, total, PAGE_SIZE),
            "chosen": wanted.shown(),
            "choices": snapshot.rows("questions_options", round=round_id)[0],
        },
    )


def _passages(row: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the passages of a question, with the sentences of its proof marked."""
    for index, passage in enumerate(row["passages"] or ()):
        text = shown_text(passage["document"], passage["headings"], passage["text"])
        spans = [(span["start"], span["end"]) for span in row["proof"] or () if span["passage"] == index]
        heading = heading_of(passage["document"], passage["headings"])
        yield {**passage, "heading": heading, "stretches": compared(text, text, spans)["stretches"]}
