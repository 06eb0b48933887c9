"""Pages that compare: two releases, and a respondent with the evaluation before."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from demur.reports.pages.rendering import render
from demur.reports.tables import ShownTable, named_table
from demur.reports.texts import Row

# Differences between two releases, and their page.


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """Differences between a first and a second release. `same` is True if their data files are equal.

    `strata` and `levers` have one row per stratum and lever with the numbers of items. `items` has the total numbers of
    items. `prompts`, `models` and `settings` have only rows that differ. `scores` has a row for each respondent whose
    model is the same in both releases. `difference` in such a row is the second score minus the first. If
    the scores of the two releases are of different scoring versions, `scores` is empty, and `scoring_versions` has both
    versions; else it is empty.
    """

    first: str
    second: str
    same: bool
    strata: Sequence[Row]
    levers: Sequence[Row]
    items: dict[str, int]
    prompts: Sequence[Row]
    models: Sequence[Row]
    settings: Sequence[Row]
    scores: Sequence[Row]
    scoring_versions: Sequence[int] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the differences as a dictionary of JSON values."""
        return asdict(self)


def render_release_diff(diff: ReleaseDiff, failed: Sequence[str] = ()) -> str:
    """Return a self-contained HTML page. `failed` has the messages of failed conditions."""
    parts = {
        "scores": named_table("release_scores").shown(diff.scores),
        **{name: named_table("release_facts").shown(getattr(diff, name)) for name in ("prompts", "models", "settings")},
        **{name: named_table("release_strata").shown(getattr(diff, name)) for name in ("strata", "levers")},
    }
    return render("release_diff", diff=diff, failed=failed, tables=parts)


# The review page for the owner of an evaluated system: missed defects, changes, items to read first.


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
