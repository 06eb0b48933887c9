"""False premises: the question at LOW is left whole; at MEDIUM and HIGH it is about what is not there."""

import re

import pytest

from demur.levers.lever_models import Kind
from demur.levers.vocabulary import LeverClass
from demur.rules.operators.registry import DeclineReason
from demur.rules.question_parts import subject
from demur.text.analysis import analyse
from tests.rules.recipes.drafts import Recipes
from tests.text.bases import FILM, LIGHTHOUSE, single

FALSE = Recipes(LeverClass.FALSE_PREMISE)


def test_part_that_the_passages_do_not_have_is_named_beside_the_whole_question() -> None:
    asked = FALSE.draft(FILM, "Wrong Place in the Source").question
    assert FILM.question in asked and asked == asked.lower() != FILM.question
    assert (
        "when was the corran lighthouse built" in FALSE.draft(LIGHTHOUSE, "Wrong Place in the Source").question.lower()
    )


def test_subject_is_a_whole_name_with_the_kind_that_the_entry_tells() -> None:
    found = subject(analyse(FILM))
    assert found is not None and (found.name, found.kind) == ("Paper Tides", Kind.FILM)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("what is the origin of the word orrin", "The word Orrin is Norse."),
        ("Who met the Americans in 1960?", "Ada Brandt met the Americans in 1960."),
    ],
)
def test_subject_is_no_piece_of_a_name_and_no_word_spoken_of(question: str, text: str) -> None:
    assert subject(analyse(single(question, ("Ada Brandt",), text))) is None


def test_wrong_value_takes_another_year() -> None:
    base = single(
        "when was the mill at selby opened",
        ("1820",),
        "The mill at Selby was opened in 1820. It grinds oats for the town.",
    )
    asked = FALSE.draft(base, "Wrong Value Presumed").question
    assert re.fullmatch(r"(?:in which month of|on which day in) 18(?!20)\d\d was the mill at selby opened", asked)


def test_burial_of_somebody_who_died_declines() -> None:
    asked = "what did ada brandt invent"
    dead = single(asked, ("the loom",), "Ada Brandt (1830–1899) was an inventor. Ada Brandt invented the loom.")
    living = single(asked, ("the loom",), "Ada Brandt (born 1961) is an inventor. Ada Brandt invented the loom.")
    assert FALSE.declined(dead, "Burial for a Living Person") is DeclineReason.NO_FRAME
    assert "ada brandt" in FALSE.draft(living, "Burial for a Living Person").question


def test_deed_is_laid_to_another_person_of_the_passage() -> None:
    apart = "Paper Tides is a 1950 film directed by Ada Brandt. Its score is by Peter Lindqvist."
    base = single("who directed paper tides", ("Ada Brandt",), apart)
    asked = {FALSE.draft(base, "Wrong Value Presumed", seed).question for seed in range(12)}
    assert asked <= {
        f"{lead} direct paper tides"
        for lead in ("how did peter lindqvist come to", "when did peter lindqvist", "why did peter lindqvist")
    }


@pytest.mark.parametrize("told", ["It was directed again by Peter Lindqvist.", "It is 90 minutes long."])
def test_deed_is_laid_to_nobody_of_whom_it_is_told(told: str) -> None:
    base = single("who directed paper tides", ("Ada Brandt",), f"Paper Tides was directed by Ada Brandt. {told}")
    assert FALSE.declined(base, "Wrong Value Presumed") is DeclineReason.NO_FRAME
