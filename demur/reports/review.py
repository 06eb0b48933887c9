"""The page for whoever owns an evaluated system: what it answers through, what has changed, what to read first."""

from collections.abc import Sequence
from dataclasses import dataclass

from demur.reports.pages.rendering import render
from demur.reports.tables import ShownTable


@dataclass(frozen=True, slots=True)
class Review:
    """What the owner of a respondent has to know of an evaluation; `before` is the one that it is compared with."""

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
