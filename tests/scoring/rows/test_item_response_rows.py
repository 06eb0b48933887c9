"""Rows of item response theory where respondents answer too alike for it: one row with the reason, no values."""

import numpy as np
import pandas as pd

from demur.scoring.rows.item_response import item_response_rows
from tests.scoring.frames import AMBIGUOUS, MISSING, frame_of


def test_copies_of_few_respondents_give_the_reason_and_no_values() -> None:
    rng = np.random.default_rng(17)
    items = 480
    rights = (np.zeros(items), rng.random(items) < 0.35, rng.random(items) < 0.6, np.arange(items) % 18 == 0)
    frames = []
    for number, right in enumerate(rights):
        rows = [
            (f"s{at // 8}", AMBIGUOUS, AMBIGUOUS if is_right else MISSING, None) for at, is_right in enumerate(right)
        ]
        frame = frame_of(rows, kind=["perturbed"] * items)
        frames += [frame.assign(model=f"m{number}-{copy}") for copy in range(8)]
    found = item_response_rows(pd.concat(frames, ignore_index=True), seed=1)
    assert set(found) == {"item_fits"}
    [row] = found["item_fits"]
    assert row["respondents"] == 32 and row["is_certified"] is False
    assert "too many respondents answer alike" in str(row["reason"])
