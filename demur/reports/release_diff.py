"""The page of what differs between two releases."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from demur.reports.pages.rendering import render
from demur.reports.scores import Row
from demur.reports.tables import named_table


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """What differs between a first and a second release; `same` where their data files are the same.

    `strata` and `levers` have numbers of items by name, `items` those in all, `prompts`, `models` and `settings` what
    differs, `scores` rows of respondents that are the same models in both: `difference` is second less first.
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

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        return asdict(self)


def render_release_diff(diff: ReleaseDiff, failed: Sequence[str] = ()) -> str:
    """Return an HTML page that needs nothing else; `failed` are conditions that the second release breaks."""
    parts = {
        "scores": named_table("release_scores").shown(diff.scores),
        **{name: named_table("release_facts").shown(getattr(diff, name)) for name in ("prompts", "models", "settings")},
        **{name: named_table("release_strata").shown(getattr(diff, name)) for name in ("strata", "levers")},
    }
    return render("release_diff", diff=diff, failed=failed, tables=parts)
