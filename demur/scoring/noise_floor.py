"""Noise floor of judging: differences between two judgings of the same responses, by one judge or by several.

Such differences come from the judges. A difference between two models below the noise floor says nothing about the
models.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from demur.levers.vocabulary import PREDICTED
from demur.scoring.agreement import krippendorff_alpha, rating_counts
from demur.scoring.errors import ScoringError
from demur.scoring.estimates import Row, known, limits
from demur.scoring.paired import DEFAULT_METRICS, compare
from demur.scoring.responses import read_responses, response_keys


def noise_floor(
    frame: pd.DataFrame,
    *,
    replicates: int,
    seed: int,
    metrics: Sequence[str] = DEFAULT_METRICS,
) -> Iterator[Row]:
    """Yield a row of `noise_floors` for each model with several judgings and each named metric.

    `difference` is the largest difference of the metric between two judgings, `first_judge` minus `second_judge`.
    The frame has the columns of scoring.responses and `judge`, one row per response and judging. Two judgings are
    compared on the responses that both have. `same_class` and `alpha` leave out responses that no judge was asked about
    (`judged_by` is `code`), since all judgings agree on them by construction.

    Raises:
        ScoringError: there is no column `judge`, or a judging holds a response twice.
    """
    if "judge" not in frame.columns:
        raise ScoringError(
            "noise floor: there is no column judge; give one row per response and judging, named in judge"
        )
    responses = read_responses(frame)
    classes = np.array(PREDICTED, dtype=object)[responses.predicted]
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
            yield {
                "respondent": model,
                "metric": name,
                "first_judge": worst.first,
                "second_judge": worst.second,
                "responses": len(ratings),
                **limits(worst.difference, "difference"),
                "same_class": float((ratings.nunique(axis=1) == 1).mean()) if len(ratings) else None,
                "alpha": known(krippendorff_alpha(rating_counts(ratings))),
            }


def _ratings(judged: pd.DataFrame, classes: np.ndarray) -> pd.DataFrame:
    """Return classes of responses that were judged at least twice, one row per response and a column per judging."""
    keyed = judged.assign(class_of=classes, key=response_keys(judged))
    if "judged_by" in keyed.columns:
        keyed = keyed[~keyed["judged_by"].isin(["code", "reply"])]
    table = keyed.pivot(index="key", columns="judge", values="class_of")
    return table[table.notna().sum(axis=1) >= 2]
