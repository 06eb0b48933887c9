"""The page of questions asked of documents: each beside its passages, with the sentences that prove it."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Self

from pydantic import Field

from demur.corpora.documents.passages import heading_of, shown_text
from demur.levers.models import Strict
from demur.reports.explorer.filters import Word, checked
from demur.reports.explorer.pages import Page, head_of
from demur.reports.pages.compared import compared
from demur.reports.pages.links import To
from demur.warehouse.explorer.snapshot import Snapshot

PAGE_SIZE: Final = 25


class QuestionFilter(Strict):
    """A list of questions; missing filters do not narrow it."""

    outcome: Word | None = None
    by_whom: Word | None = None
    reason: Word | None = None
    kind: Word | None = None
    language: Word | None = None
    document: Word | None = None
    text: Word | None = None
    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1

    @classmethod
    def of(cls, query: Iterable[tuple[str, str]]) -> Self:
        """Return the list that an address names; empty values say nothing.

        Raises:
            FlowError: a name or value that no list has.
        """
        return checked(cls, {name: value for name, value in query if value.strip()})

    def carried(self) -> dict[str, Any]:
        """Return the query for the same list, without its page."""
        return self.model_dump(exclude={"page"}, exclude_none=True)


def questions_page(snapshot: Snapshot, round_id: str, wanted: QuestionFilter, to: To) -> Page:
    """Return a page of the questions asked of a round's documents."""
    head_of(snapshot, round_id)
    values = {"round": round_id, **wanted.model_dump(exclude={"page"})}
    place = {"limit": PAGE_SIZE, "offset": (wanted.page - 1) * PAGE_SIZE}
    table = snapshot.table("questions", {**values, **place})
    total = snapshot.rows("questions_count", **values)[0]["questions"]
    last = max(1, -(-total // PAGE_SIZE))

    def page(number: int) -> str | None:
        return to("questions", round=round_id, **wanted.carried(), page=number) if 1 <= number <= last else None

    return Page(
        "questions",
        {
            "page": "questions",
            "round": round_id,
            "questions": [{**row, "passages": list(_passages(row))} for row in table.rows],
            "all_rows": snapshot.statement("questions", values),
            "total": total,
            "pages": last,
            "number": wanted.page,
            "chosen": wanted.model_dump(),
            "choices": snapshot.rows("questions_options", round=round_id)[0],
            "before": page(wanted.page - 1),
            "after": page(wanted.page + 1),
        },
    )


def _passages(row: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the passages of a question, the sentences of its proof marked."""
    for index, passage in enumerate(row["passages"] or ()):
        text = shown_text(passage["document"], passage["headings"], passage["text"])
        spans = [(span["start"], span["end"]) for span in row["proof"] or () if span["passage"] == index]
        heading = heading_of(passage["document"], passage["headings"])
        yield {**passage, "heading": heading, "stretches": compared(text, text, spans)["stretches"]}
