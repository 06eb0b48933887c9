"""Doubts about accepted answers that code proposes."""

import pytest

from demur.levers.instances import BaseInstance, Passage
from demur.levers.vocabulary import AnswerDoubt
from demur.programs.checks.answer_doubts import answer_doubt

COURT = "The court of Tolna met in 1802. In the yard a tennis court was laid out for the judges."


def base(question: str, answers: tuple[str, ...], text: str, language: str = "en") -> BaseInstance:
    passage = Passage(index=0, text=text, relevant=True)
    return BaseInstance(question=question, answers=answers, passages=(passage,), language=language)


@pytest.mark.parametrize(
    ("answers", "text", "doubt"),
    [
        (("the court",), COURT, AnswerDoubt.POINTS),
        (("they",), "The bakers of Tolna struck. They won.", AnswerDoubt.POINTS),
        (("The latter",), "Anna and Bea sang. The latter won.", AnswerDoubt.POINTS),
        (("their bridge",), "Tolna is known for its river and their bridge.", AnswerDoubt.POINTS),
        (("US",), "The US won.", None),
        (("IT",), "The IT department moved.", None),
        (("The Who",), "The Who played in Tolna.", None),
        (("The court",), COURT, AnswerDoubt.POINTS),
        (("court",), COURT, AnswerDoubt.TWO_ROLES),
        (("three",), "Three mills stood there. Only three of the seven bridges are left.", AnswerDoubt.TWO_ROLES),
        (("court",), "A court of Tolna met in 1802.", None),
        (("the court", "the High Court of Tolna"), COURT, None),
        (("the High Court",), COURT, None),
        (("no",), "No bridge was built, and no ferry ran.", None),
        (("1802",), "It met in 1802. In 1802 it burnt.", None),
        (("Tolna",), "Tolna has a court. The judges live in Tolna.", None),
        (("oxygen gas",), "Plants give off oxygen gas.", None),
    ],
)
def test_doubt_is_proposed_for_pointing_words_and_for_common_words_in_two_places(
    answers: tuple[str, ...], text: str, doubt: AnswerDoubt | None
) -> None:
    assert answer_doubt(base("What is it?", answers, text)) is doubt


def test_doubt_is_proposed_in_english_only() -> None:
    assert answer_doubt(base("Wer?", ("er",), "Er kam. Dann ging er.", "de")) is None
