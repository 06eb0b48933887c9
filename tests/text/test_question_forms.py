"""The forms of a question: 'should', 'had never', 'somebody else'; none where its clauses are not plain."""

import pytest

from demur.rules.forms import forms
from demur.text.analysis import analyse
from tests.text.bases import single

TEXT = "Russia joined the Northern Forum in 1997. Hugh Penrose plays Tibbs in The Long Winter. It is a film of 1994."


def of(question: str) -> dict[str, str]:
    return forms(analyse(single(question, ("1997",), TEXT)))


@pytest.mark.parametrize(
    ("question", "form", "expected"),
    [
        ("when did russia join the northern forum", "should", "when should russia have joined the northern forum"),
        ("when did russia join the northern forum", "if_never", "russia had never joined the northern forum"),
        ("when did russia join the northern forum", "event", "russia joined the northern forum"),
        ("who plays tibbs in the long winter", "should", "who should play tibbs in the long winter"),
        ("who wrote the long winter", "if_other", "somebody else had written the long winter"),
        ("Who plays Tibbs in The Long Winter?", "answerer", "the person who plays Tibbs in The Long Winter"),
        ("when was the old mill opened to the public", "would", "would the old mill have been opened to the public"),
        ("what is the population of russia", "np", "the population of russia"),
        (
            "who was the captain of the ferry when it sank",
            "if_other",
            "somebody else had been the captain of the ferry",
        ),
        ("where does hugh penrose live", "should", "where should hugh penrose live"),
    ],
)
def test_form_of_a_plain_question_is_english(question: str, form: str, expected: str) -> None:
    assert of(question)[form].startswith(expected)


@pytest.mark.parametrize(
    "question",
    [
        "who invented the press and in what year",
        "when did the ship hector arrived in pictou",
        "who was the letter written to",
        "who are the wolves playing on sunday",
        "when did the period start and end",
        "what type of car is a jeep considered",
        "who pays the bills where does the money come from",
        "Thumb League is on a network founded by who?",
    ],
)
def test_question_that_is_not_plain_has_no_form_but_itself(question: str) -> None:
    assert set(of(question)) == {"question"}


def test_question_behind_other_words_keeps_a_name_at_its_head() -> None:
    assert of("Thumb League is on a network founded by who?")["question"].startswith("Thumb League")
    assert of("Who founded Thumb League?")["question"] == "who founded Thumb League"
