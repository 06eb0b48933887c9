"""The page of weights that were fitted to a file of graded completions, outside a round."""

from dataclasses import dataclass

import pandas as pd

from demur.reports.frames import stated
from demur.reports.rewards import behaviours
from demur.reports.round import rendered


@dataclass(frozen=True, slots=True)
class FittedPage:
    """What a page is made from; the frames are those of a round (`RoundFrames`), and any may be empty.

    `facts` are shown as they come, as pairs of a name and its value; `notes` are for the reader.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    weights: pd.DataFrame
    fits: pd.DataFrame
    rewards: pd.DataFrame


def render_fitted(page: FittedPage) -> str:
    """Return an HTML page that needs nothing else: weights, errors by behaviour, rewards by label.

    Raises:
        ReportError: if a frame with rows lacks a column.
    """
    frames = (stated(name, getattr(page, name)) for name in ("weights", "fits", "rewards"))
    return rendered("fitted", page=page, behaviours=behaviours(*frames))
