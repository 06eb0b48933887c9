"""The judge's noise floor: the same responses judged again, by the same judge or by others.

Differences between two judgings of the same responses come from the judge. A difference between two models smaller than
this floor says nothing about the models.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from demur.levers.vocabulary import PREDICTED
from demur.scoring.agreement import krippendorff_alpha, rating_counts
from demur.scoring.errors import ScoringError
from demur.scoring.estimates import Estimate
from demur.scoring.paired import DEFAULT_METRICS, compare
from demur.scoring.responses import read_responses, response_keys


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """Variation of one metric of one model between judgings of the same responses.

    `floor` is the largest difference between two judgings, first - second of `judges`, with its clustered interval;
    `same_class` is the share of responses that all judgings class alike, `alpha` Krippendorff's alpha of the classes.
    """

    model: str
    metric: str
    judges: tuple[str, str]
    floor: Estimate
    responses: int
    same_class: float
    alpha: float


def noise_floor(
    frame: pd.DataFrame,
    *,
    replicates: int,
    seed: int,
    metrics: Sequence[str] = DEFAULT_METRICS,
) -> list[NoiseFloor]:
    """Return the noise floor of every named metric per model, from a frame with one row per response and judging.

    The frame is that of scoring.responses with a column `judge` for the judging. Models judged once are left out.
    Responses missing in some judgings are compared between those that have them.

    Raises:
        ScoringError: if there is no column `judge`, or a judging holds a response twice.
    """
    if "judge" not in frame.columns:
        raise ScoringError("noise floor: no column judge; give one row per response and judging, named by it")
    responses = read_responses(frame)
    classes = np.array(PREDICTED, dtype=object)[responses.predicted]
    found = []
    for model, at in responses.by_model():
        rows = at[~responses.apart[at]]
        judged = frame.iloc[rows]
        if judged["judge"].nunique() < 2:
            continue
        ratings = _ratings(judged, classes[rows])
        comparisons = compare(
            judged.assign(model=judged["judge"]),
            replicates=replicates,
            seed=seed,
            metrics=metrics,
        )
        for name in metrics:
            pairs = [c for c in comparisons if c.metric == name]
            worst = max(pairs, key=lambda c: -1.0 if math.isnan(c.difference.value) else abs(c.difference.value))
            found.append(
                NoiseFloor(
                    model=model,
                    metric=name,
                    judges=(worst.first, worst.second),
                    floor=worst.difference,
                    responses=len(ratings),
                    same_class=_same(ratings),
                    alpha=krippendorff_alpha(rating_counts(ratings)),
                )
            )
    return found


def _ratings(judged: pd.DataFrame, classes: np.ndarray) -> pd.DataFrame:
    """Return classes of responses that were judged at least twice, one row per response and a column per judging."""
    keyed = judged.assign(class_of=classes, key=response_keys(judged))
    table = keyed.pivot(index="key", columns="judge", values="class_of")
    return table[table.notna().sum(axis=1) >= 2]


def _same(ratings: pd.DataFrame) -> float:
    return float((ratings.nunique(axis=1) == 1).mean()) if len(ratings) else math.nan
