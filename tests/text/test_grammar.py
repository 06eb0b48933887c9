"""Small English comes out right."""

import pytest

from demur.rules.edits import as_sentence, in_register, indefinite, sentence_case, tidy
from demur.text.analysis import read_question


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("hour", "an hour"),
        ("university", "a university"),
        ("MP", "an MP"),
        ("8-year-old", "an 8-year-old"),
        ("tower", "a tower"),
    ],
)
def test_indefinite_follows_the_sound(said: str, expected: str) -> None:
    assert indefinite(said) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is , as said,, old .", "It is, as said, old."),
        ("Marsh () built it.", "Marsh built it."),
        ("He left, .", "He left."),
    ],
)
def test_tidy_scars_of_a_cut_are_gone(text: str, expected: str) -> None:
    assert tidy(text) == expected


def test_as_sentence_gets_one_capital_and_one_stop() -> None:
    assert as_sentence("the bell rang ") == "The bell rang."
    assert as_sentence("is it?") == "Is it?"
    assert sentence_case('"the end"') == '"The end"'


def test_in_register_keeps_the_base_questions_manner() -> None:
    lower, proper = read_question("who plays the innkeeper"), read_question("Who plays the innkeeper?")
    assert in_register(lower, "Who plays Anna in Oslo?") == "who plays anna in oslo"
    assert in_register(proper, "who plays Anna in Oslo") == "Who plays Anna in Oslo?"
