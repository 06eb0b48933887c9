"""Judgements that contradict themselves."""

import dspy
import pytest

from demur.programs.judge import Contradiction, _contradiction


@pytest.mark.parametrize(
    ("explanation", "classification", "quality", "wanted"),
    [
        ("It answers.", "ANSWER_ATTEMPT", 5, None),
        ("It declines with REFUSE_OTHER.", "REFUSE_OTHER", None, None),
        ("It declines with REFUSE_OTHER.", "ANSWER_ATTEMPT", 5, Contradiction.CODE),
        ("The code is REFUSE_AMBIGUOUS_QUERY.", "REFUSE_OTHER", None, Contradiction.CODE),
        ("This is not REFUSE_OTHER, it answers.", "ANSWER_ATTEMPT", 4, None),
        ("It declines.", "REFUSE_OTHER", 4, Contradiction.GRADE),
        ("", "REFUSE_OTHER", None, None),
    ],
)
def test_contradiction_of_explanation_or_grade_is_named(
    explanation: str, classification: str, quality: int | None, wanted: Contradiction | None
) -> None:
    reply = dspy.Prediction(explanation=explanation, classification=classification, quality=quality)
    assert _contradiction(reply, classification) == wanted
