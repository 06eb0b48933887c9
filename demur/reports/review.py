"""The page for the owner of an evaluated system: missed defects, changes, and items to read first."""

from collections.abc import Sequence
from dataclasses import dataclass

from demur.reports.pages.rendering import render
from demur.reports.tables import ShownTable


@dataclass(frozen=True, slots=True)
class Review:
    """An evaluation's results for the owner of a respondent; `before` is the evaluation for comparison."""

    evaluation: str
    respondent: str
    judge: str
    release: str
    prompts: str
    state: str
    before: str | None
    defects: ShownTable
    changes: ShownTable
    worst: ShownTable
    retrieval: ShownTable
    failures: ShownTable


def render_reviews(reviews: Sequence[Review]) -> str:
    """Return an HTML page that needs nothing else."""
    return render("reviews", reviews=reviews, evaluation=reviews[0].evaluation)
