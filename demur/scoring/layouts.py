"""Which responses are to items of several documents, where nothing says so: by the grades that they were given.

Attempts on several documents are graded for eligibility and support, attempts on one for quality; refusals and
attempts on unanswerable items have no grade at all, so the layout of their items follows from other rows.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from demur.scoring.bootstrap import BoolArray

MULTI = 1
"""Position of several documents among layouts."""


def several_documents(
    layout: NDArray[np.int8],
    by_passages: BoolArray,
    by_answer: BoolArray,
    model: NDArray[np.object_],
    source: pd.Series,
) -> BoolArray:
    """Return which rows are of several documents.

    A stated `layout` (0 single, 1 multi, negative unknown) decides. Where it is unknown: without grades by passages
    all rows are single, without rows graded by their answer alone all are multi. Where both occur, a model with one
    sort alone is of that sort, and rows of other models follow their source question.
    """
    found = _by_grades(by_passages, by_answer & ~by_passages, model, source)
    return np.asarray(np.where(layout < 0, found, layout == MULTI), dtype=np.bool_)


def _by_grades(several: BoolArray, single: BoolArray, model: NDArray[np.object_], source: pd.Series) -> BoolArray:
    if not several.any() or not single.any():
        return np.full(len(model), bool(several.any()))
    of_model = pd.Series(model)
    of_source = source.reset_index(drop=True)
    model_several, model_single = (pd.Series(rows).groupby(of_model).transform("any") for rows in (several, single))
    by_source = pd.Series(several).groupby(of_source).transform("any")
    return np.where(model_several == model_single, by_source, model_several).astype(np.bool_)
