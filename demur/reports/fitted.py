"""The page of weights that were fitted to a file of graded completions, outside a round."""

from dataclasses import dataclass

import pandas as pd

from demur.reports.cells import rows
from demur.reports.pages.rendering import render
from demur.reports.rewards import behaviours
from demur.reports.tables import named_table


@dataclass(frozen=True, slots=True)
class FittedPage:
    """Data of a page on a fit; the frames are those of `rewards.behaviours`, and any may be empty.

    `facts` are shown unchanged, as pairs of a name and its value; `notes` are for the reader.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    weights: pd.DataFrame
    fits: pd.DataFrame
    rewards: pd.DataFrame


def render_fitted(page: FittedPage) -> str:
    """Return an HTML page that needs nothing else: weights, errors by behaviour, rewards by label."""
    return render(
        "fitted",
        page=page,
        fits=named_table("fits").shown(rows(page.fits)),
        behaviours=behaviours(page.weights, page.fits, page.rewards),
    )
