"""False premises: the question at LOW is left whole; at MEDIUM and HIGH it is about what is not there."""

import pytest

from demur.levers.frames import Kind
from demur.levers.vocabulary import LeverClass
from demur.rules.operators.registry import DeclineReason
from demur.rules.topics import topics
from demur.text.analysis import analyse
from tests.rules.recipes.drafts import Recipes
from tests.text.bases import FILM, LIGHTHOUSE, SONG, single

FALSE = Recipes(LeverClass.FALSE_PREMISE)


@pytest.mark.parametrize("name", ["Assumed Second Edition", "Wrong Place in the Source"])
def test_lead_in_leaves_the_question_whole_in_its_register(name: str) -> None:
    asked = FALSE.draft(FILM, name).question
    assert asked.endswith(f", {FILM.question}") and asked == asked.lower()
    assert FALSE.draft(LIGHTHOUSE, name).question.endswith("when was the Corran lighthouse built?")


def test_topics_are_whole_names_with_the_kind_that_the_entry_tells() -> None:
    [found] = topics(analyse(FILM))
    assert (found.name, found.kind) == ("Paper Tides", Kind.FILM)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("what is the origin of the word orrin", "The word Orrin is Norse."),
        ("who sang the songs on mind the gale", "Mind the Gale is an album."),
        ("who are the halden rovers captains", "Halden is a town. The captains of the Halden Rovers were Ada and Bea."),
    ],
)
def test_topics_leave_out_pieces_of_names_and_words_spoken_of(question: str, text: str) -> None:
    names = {topic.bare for topic in topics(analyse(single(question, ("Ada Brandt",), text)))}
    assert not names & {"Orrin", "Gale", "Halden"}


def test_part_and_sequel_are_of_the_kind_of_the_work() -> None:
    assert "film" in FALSE.draft(FILM, "Part Larger than Its Whole").question
    assert (
        "song" in FALSE.draft(SONG, "Part Larger than Its Whole").question
        or "sing" in FALSE.draft(SONG, "Part Larger than Its Whole").question
    )
    assert FALSE.draft(FILM, "First vs. Second Mission Clash").question.endswith("filmed for the second time")


def test_wrong_value_takes_the_sentence_of_the_passage() -> None:
    base = single(
        "when was the mill at selby built",
        ("1820",),
        "The mill at Selby was built in 1820. It grinds oats for the town.",
    )
    asked = FALSE.draft(base, "Wrong Value Presumed").question
    assert "the mill at selby was built in 18" in asked and "1820" not in asked


def test_statement_that_leans_on_another_declines() -> None:
    assert FALSE.declined(FILM, "Phantom Correction") is DeclineReason.NO_SUITABLE_SPAN


def test_burial_of_somebody_who_died_declines() -> None:
    dead = single(
        "what did ada brandt invent",
        ("the loom",),
        "Ada Brandt (1830–1899) was an inventor. Ada Brandt invented the loom.",
    )
    living = single(
        "what did ada brandt invent",
        ("the loom",),
        "Ada Brandt (born 1961) is an inventor. Ada Brandt invented the loom.",
    )
    assert FALSE.declined(dead, "Burial for a Living Person") is DeclineReason.NO_TOPIC
    assert "ada brandt" in FALSE.draft(living, "Burial for a Living Person").question


def test_wrong_detail_moves_the_year_and_keeps_the_question() -> None:
    base = single(
        "who led the choir of selby",
        ("Ada Brandt",),
        "The choir of Selby was led by Ada Brandt. The hall of the choir was built in 1903 by the river.",
    )
    asked = FALSE.draft(base, "Contradiction in Irrelevant Detail").question
    assert asked.endswith(", who led the choir of selby") and "hall of the choir was built in" in asked
    assert "1903" not in asked
