import weakref
from pathlib import Path

import pytest
import yaml

from demur.text import language_detection
from demur.text.language_detection import checked_language, detect, free_detector, language_name

QUESTIONS: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "short_questions.yaml").read_text("utf-8"))


@pytest.mark.parametrize("code", QUESTIONS)
def test_detect_short_questions_are_told_right_or_called_unsure(code: str) -> None:
    found = [detect(question).code for question in QUESTIONS[code]]

    assert set(found) <= {code, None}, [q for q, c in zip(QUESTIONS[code], found, strict=True) if c not in (code, None)]
    assert found.count(code) >= 0.8 * len(found)


@pytest.mark.parametrize("text", ["", "   ", "???", "4711", "12:30", "E-17 A4 B2", "Orla?", "Mara Lindqvist", "x = 3"])
def test_detect_text_without_words_of_a_language_is_unsure(text: str) -> None:
    assert detect(text).code is None


def test_checked_language_code_that_is_none_says_which_are_allowed() -> None:
    with pytest.raises(ValueError, match="'deu' is not a language code of ISO 639-1"):
        checked_language("deu")
    assert language_name(checked_language("zh")) == "Chinese"


def test_free_detector_leaves_no_weights_and_the_next_detection_is_the_same() -> None:
    text = "Die Mühle stand bis 1911 am Fluss."
    before = detect(text)
    weights = weakref.ref(language_detection._identifier().nb_ptc)

    free_detector()

    assert weights() is None
    assert detect(text) == before
