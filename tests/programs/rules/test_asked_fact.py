"""The fact that a question asks for: stated, denied and stressed, in questions of many shapes."""

import random
import re

import pytest

from demur.programs.rules.edits.rival_values import is_personal, rival_value
from demur.programs.text.analysis import analyse
from demur.programs.text.asked_fact import AskedFact, asked_fact
from demur.programs.text.casing import restore_case
from tests.programs.rules.bases import POLAR, single


def fact_of(question: str, answer: str, text: str = "") -> AskedFact | None:
    return asked_fact(analyse(single(question, (answer,), text or f"The record names {answer} in this place.")))


STATED = [
    ("Who designed the Halvorsen Bridge?", "Ida Marsh", "Ida Marsh designed the Halvorsen Bridge"),
    ("When did the ferry sink?", "1933", "the ferry sank in 1933"),
    ("when was the old mill first used", "June 1840", "the old mill was first used in June 1840"),
    ("Where does the river rise?", "Selby", "the river rises in Selby"),
    ("What did the probe find?", "nickel", "the probe found nickel"),
    ("What is the population of Orr?", "4,100", "the population of Orr is 4,100"),
    ("What prize did the baker win?", "the Silver Loaf", "the prize that the baker won was the Silver Loaf"),
    ("In what year was the Ansen mill built?", "1811", "the Ansen mill was built in 1811"),
    ("Of which country is Lisbon the capital?", "Portugal", "Lisbon is the capital of Portugal"),
    ("How many bells are there in the tower?", "7", "there are 7 bells in the tower"),
    ("How many trains were built in 1920?", "12", "12 trains were built in 1920"),
    ("How old was Jan when the war began?", "nine", "Jan was nine when the war began"),
    ("What was the mill previously known as?", "Low Mill", "the mill was previously known as Low Mill"),
    ("The bridge was built by which engineer?", "Ida Marsh", "the bridge was built by Ida Marsh"),
    ("Who was the book written to?", "the miners", "the book was written to the miners"),
    ("Name the mother of Ida Marsh.", "Eva Marsh", "the mother of Ida Marsh is Eva Marsh"),
]


@pytest.mark.parametrize(("question", "answer", "statement"), STATED)
def test_fact_of_a_question_states_its_answer(question: str, answer: str, statement: str) -> None:
    fact = fact_of(question, answer)
    assert fact is not None
    assert fact.state(answer) == statement


@pytest.mark.parametrize(
    ("question", "answer", "denial"),
    [
        ("Who designed the bridge?", "Ida Marsh", "it was not Ida Marsh who designed the bridge"),
        ("When did the ferry sink?", "1933", "it was not in 1933 that the ferry sank"),
        ("What is the population of Orr?", "4,100", "the population of Orr is not 4,100"),
        ("How many bells are there?", "7", "it is not the case that there are 7 bells"),
        ("It was built by what firm?", "Orr Works", "it was not the case that It was built by Orr Works"),
    ],
)
def test_fact_of_a_question_denies_its_answer(question: str, answer: str, denial: str) -> None:
    fact = fact_of(question, answer)
    assert fact is not None
    assert fact.deny(answer) == denial


def test_fact_of_a_yes_or_no_question_has_both_polarities() -> None:
    fact = asked_fact(analyse(POLAR))
    assert fact is not None
    assert fact.state("yes") == "Lake Arn and Lake Bel are both in Austria"
    assert fact.deny("yes") == "Lake Arn and Lake Bel are not both in Austria"


def test_fact_of_a_choice_keeps_the_two_apart_from_the_statement() -> None:
    base = single("Which is larger, the Arn or the Bel?", ("the Arn",), "The Arn is larger than the Bel.")
    fact = asked_fact(analyse(base))
    assert fact is not None
    assert fact.choices == ("the Arn", "the Bel")
    assert rival_value(analyse(base), fact, random.Random(1)) == "the Bel"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who invented the press and in what year", "Ida Marsh"),
        ("Why did the mill close?", "a lack of grain"),
        ("What happened to the bulbs?", "glowed even when turned off"),
        ("In China, this person studied erosion, what was his name?", "Shen Kuo"),
    ],
)
def test_fact_of_a_question_that_cannot_be_turned_is_none(question: str, answer: str) -> None:
    assert fact_of(question, answer) is None


def test_case_of_a_lower_case_question_is_restored_from_the_passage() -> None:
    passage = "Catch Me If You Can is a film. The prime minister, Ida Marsh, saw it in May."
    assert restore_case("when did ida marsh see catch me if you can", [passage]) == (
        "when did Ida Marsh see Catch Me If You Can"
    )


def test_case_of_common_words_stays_small() -> None:
    assert restore_case("who built the first bridge", ["The First National Bank built a bridge."]) == (
        "who built the first bridge"
    )


def test_case_of_a_question_with_capitals_is_left_alone() -> None:
    assert restore_case("Who is ida marsh?", ["Ida Marsh is a baker."]) == "Who is ida marsh?"


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("when did the ferry sink", "3 June 1933", r"3 June 19\d\d"),
        ("how many bells are there", "140", r"\d+"),
        ("which season is wet", "winter", r"spring|summer|autumn"),
        ("who built the mill", "Ida Marsh", r"[A-Z]\S+ [A-Z]\S+"),
        ("where is the mill", "Arn Stadium", r"[A-Z]\S+ Stadium"),
    ],
)
def test_rival_of_an_answer_is_of_the_same_kind_and_differs(question: str, answer: str, kind: str) -> None:
    analysis = analyse(single(question, (answer,), f"The record says {answer}. Nothing else is known."))
    for seed in range(5):
        rival = rival_value(analysis, asked_fact(analysis), random.Random(seed))
        assert rival is not None
        assert re.fullmatch(kind, rival)
        assert rival != answer


def test_rival_of_a_phrase_without_family_is_none() -> None:
    analysis = analyse(single("what does the whip do", ("ensure discipline",), "The whip has to ensure discipline."))
    assert rival_value(analysis, asked_fact(analysis), random.Random(1)) is None


def test_answer_to_who_that_is_a_team_is_not_a_person() -> None:
    analysis = analyse(single("who won the final", ("Selby Rovers",), "Selby Rovers won the final in May."))
    assert not is_personal(analysis)


def test_asked_fact_with_a_date_in_may_takes_the_month_for_no_modal() -> None:
    base = single("When was the Tarn bridge opened?", ("4 May 1962",), "The Tarn bridge was opened on 4 May 1962.")
    fact = asked_fact(analyse(base))
    assert fact is not None
    assert fact.state("4 May 1962") == "the Tarn bridge was opened on 4 May 1962"


def test_asked_fact_with_a_clause_before_the_verb_finds_the_verb() -> None:
    base = single(
        "When did the county where Elm Beck is stop selling salt?",
        ("1904",),
        "The county stopped selling salt in 1904.",
    )
    fact = asked_fact(analyse(base))
    assert fact is not None
    assert "stopped selling salt" in fact.state("1904")
