"""Rows of DataFrames for pages."""

import math
from typing import Any

import numpy as np
import pandas as pd

from demur.reports.texts import Row


def rows(frame: pd.DataFrame) -> list[Row]:
    """Return the rows of a DataFrame, with None in place of null, NaN and infinity."""
    return [{str(name): _known(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _known(value: Any) -> Any:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_known(part) for part in value]
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value
