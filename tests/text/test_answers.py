"""Answers are found in any trivial paraphrase, and not where only letters agree."""

import pytest

from demur.text import AnswerType, analyse, find_answers
from demur.text.answers import answer_type
from tests.text.bases import CORPORA, bases_of


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("September 8, 2017", "It came out on 8 September 2017."),
        ("8 September 2017", "Dated 2017-09-08."),
        ("the 12th century", "Beds spread in the twelfth century."),
        ("seven", "There are 7 bells."),
        ("3.2 million", "Some 3,200,000 farmers."),
        ("2%", "about 2 percent of them"),
        ("René Descartes", "Rene Descartes's method"),
        ("invoices", "an invoice is the source"),
        ("Matthew Lyn Lillard", "played by Matthew Lillard"),
        ("Woodward, Oklahoma", "Woodward (Oklahoma)"),
        ("U.S.", "in the US today"),
    ],
)
def test_find_answers_trivial_paraphrase_is_found(answer: str, text: str) -> None:
    assert find_answers(text, (answer,))


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("9", "on 9 July 1999"),
        ("it", "It was done and it rained"),
        ("Mar", "The market marvelled in March."),
        ("2%", "2 of them"),
        ("September 8, 2017", "September 2017"),
        ("yes", "yes, indeed"),
        ("Ellen Marsh", "Marsh House is closed"),
    ],
)
def test_find_answers_other_thing_is_not_found(answer: str, text: str) -> None:
    assert not find_answers(text, (answer,))


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        ("14 June 1871", "When was it built?", AnswerType.DATE),
        ("Rosa Ann Delmar", "who plays the innkeeper", AnswerType.PERSON),
        ("seven", "how many bells", AnswerType.NUMBER),
        ("$3 million", "how much", AnswerType.MONEY),
        ("yes", "Is it?", AnswerType.YES_NO),
        ("Norway", "what country", AnswerType.PLACE),
        ("University of Oslo", "what did she join", AnswerType.ORGANISATION),
        ('"Mirror Image"', "what was the last episode", AnswerType.TITLE),
        ("graphite", "what are pencils made of", AnswerType.OTHER),
    ],
)
def test_answer_type_is_told_from_form_and_question(answer: str, question: str, expected: AnswerType) -> None:
    assert answer_type(answer, question) is expected


@pytest.mark.parametrize("name", ["single.jsonl", "multi.jsonl"])
def test_analyse_embedded_corpora_finds_the_answers(name: str) -> None:
    bases = [b for b in bases_of(CORPORA / name) if not {a.lower() for a in b.answers} <= {"yes", "no"}]
    found = sum(bool(analyse(b).main.answers) for b in bases)
    assert found / len(bases) >= 0.98
