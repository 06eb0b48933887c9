"""Rows of frames as templates take them, and a value with its interval as they show it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from demur.reports.names import in_order

Row = dict[str, Any]
"""A row by column name; None where the frame has null, NaN or infinity."""


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its 95 % interval; None with a reason where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @property
    def has_interval(self) -> bool:
        """True if both ends are known."""
        return self.low is not None and self.high is not None


def rows(frame: pd.DataFrame) -> list[Row]:
    """Return the rows of a frame."""
    return [{str(name): _known(value) for name, value in row.items()} for row in frame.to_dict("records")]


def score(row: Mapping[str, Any], value: str = "value", low: str = "low", high: str = "high") -> Score:
    """Return the value, interval and reason that stand in these columns of a row."""
    return Score(row[value], row.get(low), row.get(high), row.get("reason"))


def arranged(found: Iterable[Row], column: str, known: Mapping[str, str]) -> list[Row]:
    """Return one row for each value of a column: the known ones first, in their order, then the others as they come."""
    by_value = {str(row[column]): row for row in found}
    return [by_value[value] for value in in_order(by_value, known)]


def _known(value: Any) -> Any:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_known(part) for part in value]
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value
