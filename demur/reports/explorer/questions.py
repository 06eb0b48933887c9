"""The page of questions on documents: each question beside its passages, with the sentences of its proof marked."""

from typing import Final

from demur.reports.audits.questions import proved_passages
from demur.reports.explorer.filters import PageQuery, Word
from demur.reports.explorer.pages import Page, head_of
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
            "questions": [{**row, "passages": list(proved_passages(row))} for row in table.rows],
            "all_rows": snapshot.statement("questions", values),
            **wanted.links(to, "questions", round_id, total, PAGE_SIZE),
            "chosen": wanted.shown(),
            "choices": snapshot.rows("questions_options", round=round_id)[0],
        },
    )
