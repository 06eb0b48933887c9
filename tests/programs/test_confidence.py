"""How sure a respondent says it is, read off the end of what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.levers.vocabulary import Confidence
from demur.programs.respondent import read_confidence


@pytest.mark.parametrize("level", Confidence)
@pytest.mark.parametrize(
    "line",
    [
        "\nConfidence: {}",
        "\n\n**Confidence:** {}",
        "\n{}",
        "\n({})",
        "\nMy confidence level is {}.",
        " Confidence: {}",
        " (confidence: {})",
        "\n- Confidence = `{}`\n",
    ],
)
@pytest.mark.parametrize("spelled", [str, lambda level: level.lower().replace("_", " ")])
def test_confidence_at_the_end_is_read_and_taken_off(level: Confidence, line: str, spelled: object) -> None:
    assert callable(spelled)
    found = read_confidence("In 1871 [1]." + line.format(spelled(level.value)))
    assert (found.text, found.confidence) == ("In 1871 [1].", level)


@pytest.mark.parametrize(
    "said",
    [
        "In 1871.",
        "In 1871.\nConfidence: 95 %",
        "In 1871.\nConfidence: rather high",
        "CONFIDENT",
        "He was confident that it would hold, and it did until 1871.",
        "They felt very confident",
        "",
    ],
)
def test_confidence_that_cannot_be_read_leaves_the_response_whole(said: str) -> None:
    found = read_confidence(said)
    assert (found.text, found.confidence) == (said, None)


@given(st.text(max_size=80), st.sampled_from(Confidence))
def test_confidence_whatever_stands_before_it_is_kept(text: str, level: Confidence) -> None:
    found = read_confidence(f"x{text}\nConfidence: {level}")
    assert found.confidence is level
    assert found.text == f"x{text}".strip()
