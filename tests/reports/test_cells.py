"""Rows of frames: a null of any kind is None, and a page shows it as not available."""

import numpy as np
import pandas as pd
import pytest

from demur.reports.cells import rows
from demur.reports.texts import Score, score


@pytest.mark.parametrize("null", [None, float("nan"), float("inf"), pd.NA, pd.NaT, np.nan])
def test_rows_null_of_any_kind_is_none(null: object) -> None:
    frame = pd.DataFrame({"text": ["a", null], "list": [np.array(["x", None], dtype=object), null]}, dtype=object)
    assert rows(frame) == [{"text": "a", "list": ["x", None]}, {"text": None, "list": None}]


def test_score_takes_value_interval_and_reason_from_the_columns_named() -> None:
    row = {"bias": 0.1, "low": None, "high": 0.3, "top_low": 0.0, "reason": "few"}
    assert score(row, "bias") == Score(0.1, None, 0.3, "few")
    assert not score(row, "bias").has_interval
    assert score(row, "bias", "top_low").has_interval
