import pytest

from demur.levers.vocabulary import Code
from demur.scoring.calibration import code_use
from tests.scoring.frames import AMBIGUOUS, ANSWER, ATTEMPT, MISSING, Row, frame_of


def test_code_use_hand_made_counts_match() -> None:
    rows: list[Row] = [
        ("a", AMBIGUOUS, AMBIGUOUS, None),
        ("b", AMBIGUOUS, MISSING, None),
        ("c", ANSWER, MISSING, None),
        ("d", AMBIGUOUS, Code.OTHER.value, None),
        ("e", AMBIGUOUS, ATTEMPT, None),
    ]
    (use,) = code_use(frame_of(rows), replicates=50, seed=1)
    assert (use["refusals"], use["top_code"], use["top_share"]) == (4, MISSING, 0.5)
    assert use["entropy_bits"] == pytest.approx(1.5)


def test_code_use_without_refusals_is_undefined_with_reason() -> None:
    (use,) = code_use(frame_of([("a", AMBIGUOUS, ATTEMPT, None), ("b", ANSWER, ATTEMPT, True)]), replicates=9, seed=1)
    assert use["entropy_bits"] is None
    assert (use["top_code"], use["reason"], use["never_given"]) == (None, "no refusals", [AMBIGUOUS])


def test_constant_code_baseline_is_the_commonest_expected_code() -> None:
    rows: list[Row] = [
        (f"s{at}", code, ATTEMPT, None) for at, code in enumerate((AMBIGUOUS, MISSING, MISSING, MISSING))
    ]
    (use,) = code_use(frame_of(rows), replicates=50, seed=1)
    assert use["constant_code"] == MISSING
    assert use["constant_refusal_accuracy"] == 0.75
    assert use["constant_calibrated_refusal_score"] == 0.375
