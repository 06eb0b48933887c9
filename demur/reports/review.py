"""The review page for the owner of an evaluated system: missed defects, changes, items to read first."""

from collections.abc import Sequence
from dataclasses import dataclass

from demur.reports.pages.rendering import render
from demur.reports.tables import ShownTable


@dataclass(frozen=True, slots=True)
class Review:
    """Results of one respondent.

    `version` is the given version of a system, or None. `before` is the id of the previous evaluation, or None.
    `copies_seen` says how many items were asked while the index had copies of their original passages.
    """

    evaluation: str
    respondent: str
    version: str | None
    judge: str
    release: str
    prompts: str
    state: str
    before: str | None
    scores: ShownTable
    answers: ShownTable
    defects: ShownTable
    changes: ShownTable
    worst: ShownTable
    retrieval: ShownTable
    failures: ShownTable
    copies_seen: str | None = None


def render_reviews(reviews: Sequence[Review]) -> str:
    """Return a self-contained HTML page."""
    return render("reviews", reviews=reviews, evaluation=reviews[0].evaluation)
