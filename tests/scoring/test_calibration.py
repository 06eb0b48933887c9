import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from demur.levers.vocabulary import Confidence
from demur.scoring.calibration import area_under_curve, reliability_table
from demur.scoring.refusal_scores import score
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, MISSING, Row, frame_of

ROWS: tuple[Row, ...] = (
    ("a", ANSWER, ATTEMPT, True),
    ("a", ANSWER, ATTEMPT, False),
    ("b", AMBIGUOUS, AMBIGUOUS, None),
    ("b", AMBIGUOUS, MISSING, None),
    ("c", AMBIGUOUS, "INVALID", None),
    ("c", ANSWER, ATTEMPT, True),
)
STATED = ("VERY_CONFIDENT", "VERY_CONFIDENT", "CONFIDENT", "UNCERTAIN", "VERY_UNCERTAIN", None)


def test_ece_hand_made_table_matches() -> None:
    (result,) = score(frame_of(ROWS, confidence=STATED), replicates=50, seed=1)
    assert result.metrics["ece"].value == pytest.approx((2 * 0.45 + 0.2 + 0.4 + 0.15) / 5)
    assert result.metrics["ece_answers"].value == pytest.approx(0.45)
    assert result.metrics["ece_refusals"].value == pytest.approx((0.2 + 0.4) / 2)
    assert [result.metrics[name].n for name in ("ece", "ece_answers", "ece_refusals")] == [5, 2, 2]


def test_ece_without_stated_confidence_has_a_reason() -> None:
    (result,) = score(frame_of(ROWS), replicates=50, seed=1)
    assert math.isnan(result.metrics["ece"].value)
    assert result.metrics["ece"].reason == "no responses with a stated confidence in this slice"


def test_ece_of_numbers_compares_accuracy_with_what_was_claimed() -> None:
    levels = ("VERY_CONFIDENT", "VERY_CONFIDENT", "CONFIDENT", "UNCERTAIN", "VERY_UNCERTAIN", None)
    frame = frame_of(ROWS, confidence=levels, probability=(1.0, 0.92, 0.75, 0.31, 0.0, None))
    (result,) = score(frame, replicates=50, seed=1)
    assert result.metrics["ece"].value == pytest.approx((abs(1 - 1.92) + 0.25 + 0.31 + 0.0) / 5)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=4, max_size=40))
def test_area_under_curve_is_that_of_scikit_learn(rows: list[tuple[int, bool, int]]) -> None:
    claimed, right, times = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    found = area_under_curve(claimed, right.astype(bool), times[None])[0]
    kept = times > 0
    if len(np.unique(right[kept])) < 2:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(roc_auc_score(right[kept], claimed[kept], sample_weight=times[kept]))


def test_auroc_is_scored_where_it_is_asked_for_and_says_why_it_is_not_there() -> None:
    frame = frame_of(ROWS, confidence=STATED)
    (result,) = score(frame, replicates=200, seed=1, discrimination=True)
    right, sure = [True, False, True, False, False], [0.95, 0.95, 0.8, 0.4, 0.15]
    assert result.metrics["auroc"].value == pytest.approx(roc_auc_score(right, sure))
    assert result.metrics["auroc"].n == 5
    assert result.metrics["auroc_answers"].value == 0.5
    assert result.metrics["auroc_answers"].reason == "one source question: nothing to resample"
    (silent,) = score(frame_of(ROWS), replicates=50, seed=1, discrimination=True)
    assert silent.metrics["auroc"].reason == "no right responses, or no others, with a stated confidence in this slice"
    assert "auroc" not in score(frame, replicates=50, seed=1)[0].metrics


def test_reliability_table_hand_made_rows_match_the_error() -> None:
    frame = frame_of(ROWS, confidence=STATED)
    table = pd.DataFrame(reliability_table(frame, replicates=50, seed=1))
    assert len(table) == 3 * len(Confidence)
    whole = table[table["part"] == "all"]
    assert whole["n"].tolist() == [2, 1, 0, 1, 1]
    assert whole["accuracy"].tolist()[:2] == [0.5, 1.0]
    assert math.isnan(whole["accuracy"].tolist()[2])
    (result,) = score(frame, replicates=50, seed=1)
    weighted = (whole["n"] * (whole["accuracy"] - whole["midpoint"]).abs()).sum() / whole["n"].sum()
    assert result.metrics["ece"].value == pytest.approx(weighted)
