import math

import numpy as np
import pytest

from demur.levers.vocabulary import Confidence
from demur.scoring.calibration import MIDPOINTS, expected_calibration_error, reliability_table
from demur.scoring.refusal import score
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


def test_midpoints_are_those_of_the_verbal_bins() -> None:
    assert pytest.approx((0.95, 0.80, 0.60, 0.40, 0.15)) == MIDPOINTS


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


def test_ece_of_accuracy_at_the_midpoints_is_zero() -> None:
    stated = np.full(5, 200.0)
    assert expected_calibration_error(stated, stated * np.array(MIDPOINTS)) == pytest.approx(0.0)


def test_reliability_table_hand_made_rows_match_the_error() -> None:
    frame = frame_of(ROWS, confidence=STATED)
    table = reliability_table(frame, replicates=50, seed=1)
    assert len(table) == 3 * len(Confidence)
    whole = table[table["part"] == "all"]
    assert whole["n"].tolist() == [2, 1, 0, 1, 1]
    assert whole["accuracy"].tolist()[:2] == [0.5, 1.0]
    assert math.isnan(whole["accuracy"].tolist()[2])
    (result,) = score(frame, replicates=50, seed=1)
    weighted = (whole["n"] * whole["gap"].abs()).sum() / whole["n"].sum()
    assert result.metrics["ece"].value == pytest.approx(weighted)


def test_reliability_table_leaves_controls_out() -> None:
    frame = frame_of(ROWS, confidence=STATED, kind=["control"] * 2 + ["perturbed"] * 4)
    table = reliability_table(frame, replicates=10, seed=1)
    assert table.loc[(table["part"] == "all"), "n"].sum() == 3
