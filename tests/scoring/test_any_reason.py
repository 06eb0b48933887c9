"""Items that should be refused for whatever reason: what can be measured is, and the rest says why not."""

import math

import pandas as pd
import pytest

from demur.exchange.responses.response_fields import response_row
from demur.levers.vocabulary import PREDICTED, AnyReason, Code, Intensity, LeverClass, expectations
from demur.scoring.refusal_scores import score
from demur.scoring.responses import EXPECTED
from demur.scoring.standalone import demur_scores

OF_REASONS = ("refusal_accuracy", "category_accuracy", "hierarchical_refusal_score", "calibrated_refusal_score")
RESPONSES = (
    ("ANSWER_CORRECTLY", "ANSWER_ATTEMPT", True),
    ("ANSWER_CORRECTLY", "ANSWER_ATTEMPT", False),
    ("ANSWER_CORRECTLY", "REFUSE_OTHER", None),
    ("REFUSE", "REFUSE_OTHER", None),
    ("REFUSE", "REFUSE_AMBIGUOUS_QUERY", None),
    ("REFUSE", "ANSWER_ATTEMPT", None),
    ("REFUSE", "INVALID", None),
)


def frame(*more: tuple[str, str, bool | None]) -> pd.DataFrame:
    rows = [
        {"item_id": f"i{at}", "source_id": f"q{at}", "class": None, "intensity": None}
        | dict(zip(("expected", "predicted", "correct"), each, strict=True))
        for at, each in enumerate((*RESPONSES, *more))
    ]
    return pd.DataFrame(rows)


def test_codes_have_one_position_among_expected_and_predicted() -> None:
    codes = [one for one in EXPECTED if one.startswith("REFUSE_")]
    assert [EXPECTED.index(one) for one in codes] == [PREDICTED.index(one) for one in codes]


def test_set_without_reasons_has_full_detection_and_no_metrics_of_reasons() -> None:
    [found] = score(frame(), replicates=100, seed=1)
    values = {name: one.value for name, one in found.metrics.items()}
    assert values["answer_accuracy"] == pytest.approx(1 / 3)
    assert values["false_refusal_rate"] == pytest.approx(1 / 3)
    assert values["missed_refusal_rate"] == pytest.approx(1 / 4)
    assert values["correct_refusal_rate"] == values["detection_recall"] == pytest.approx(2 / 4)
    assert values["detection_precision"] == pytest.approx(2 / 3)
    assert values["detection_f1"] == pytest.approx(2 * 2 / (3 + 4))
    for name in OF_REASONS:
        assert math.isnan(values[name])
        assert found.metrics[name].reason == "not all items to be refused have an expected reason in this slice"
    shares = {name: one.value for name, one in found.distribution.items()}
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["correct_refusal"] == pytest.approx(2 / 7)
    assert shares["wrong_category_refusal"] == 0
    assert found.confusion["REFUSE"]["REFUSE_OTHER"] == 1


def test_set_with_reasons_has_no_row_for_any_reason() -> None:
    coded = [("REFUSE_AMBIGUOUS_QUERY", "REFUSE_AMBIGUOUS_QUERY", None)]
    rows = [row for row in (*RESPONSES, *coded) if row[0] != "REFUSE"]
    [found] = score(frame(*coded)[lambda one: one["expected"] != "REFUSE"], replicates=100, seed=1)
    assert len(rows) == 4 and "REFUSE" not in found.confusion
    assert found.metrics["refusal_accuracy"].value == 1.0


def test_exported_scorers_count_alike() -> None:
    [found] = score(frame(), replicates=100, seed=1)
    there = demur_scores.metrics(demur_scores.outcome(*each) for each in RESPONSES)
    for name, value in there.items():
        if name in found.metrics and name != "answer_accuracy":
            assert value == pytest.approx(found.metrics[name].value, nan_ok=True), name


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"expected": "refuse"}, "REFUSE"),
        ({"expected": "answer"}, "ANSWER_CORRECTLY"),
        ({"expected": "REFUSE_INFO_MISSING_IN CONTEXT"}, "REFUSE_INFO_MISSING_IN_CONTEXT"),
    ],
)
def test_response_row_without_a_stratum_is_scored(given: dict[str, str], expected: str) -> None:
    row = response_row({"item_id": "1", "source_id": "1", "predicted": "ANSWER_ATTEMPT", **given})
    assert (row["expected"], row["intensity"], row["kind"]) == (expected, None, "perturbed")


def test_expectations_follow_from_what_is_known() -> None:
    assert expectations(LeverClass.AMBIGUITY, Intensity.HIGH) == (Code.AMBIGUOUS,)
    assert expectations(LeverClass.AMBIGUITY, None) == (Code.ANSWER_CORRECTLY, Code.AMBIGUOUS)
    assert AnyReason.REFUSE in expectations(None, None) and Code.OTHER not in expectations(None, None)
