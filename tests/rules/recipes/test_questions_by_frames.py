"""Levers of Ambiguity, Granularity and Epistemic: what they make of bases, and where they decline."""

import random
import re

import pytest

from demur.levers.instances import BaseInstance
from demur.levers.lever_models import Style
from demur.levers.vocabulary import LeverClass
from demur.rules.operators.registry import Declined, Draft, Pull, find_operator
from demur.rules.rivals import Corpus
from demur.text.analysis import analyse
from tests.rules.recipes.drafts import levers_of
from tests.text.bases import single

FILM = single(
    "who directed low tide",
    ("Peter Quill",),
    "Low Tide is a 1994 drama film directed by Peter Quill, and starring Martin Penrose. It was released on 5 May 1994."
    " "
    "Low Tide was shot near Selby.",
)
OTHER = single(
    "who directed high summer",
    ("Ruth Lund",),
    "High Summer is a 1988 comedy film directed by Ruth Lund. It was released in June 1988 and was shot near Halden.",
)
OPENED = single(
    "when was the corran mill opened to the public",
    ("5 May 1994",),
    "The Corran Mill is a museum. It was opened to the public on 5 May 1994. It was built in 1802 and closed in 1999.",
)


def pulled(base: BaseInstance, name: str, seed: int = 1) -> Draft | Declined:
    """Pull one lever of any class with a corpus of both films."""
    lever = next(lv[name] for c in LeverClass if name in (lv := levers_of(c)))
    assert lever.recipe is not None
    corpus = Corpus.of([FILM, OTHER, OPENED])
    return find_operator(lever.recipe)(Pull(analyse(base), lever, Style.TERSE, random.Random(seed), corpus))


def draft(base: BaseInstance, name: str, seed: int = 1) -> Draft:
    made = pulled(base, name, seed)
    assert isinstance(made, Draft), made
    return made


@pytest.mark.parametrize(
    ("base", "name", "expected"),
    [
        (FILM, "Counterfactual Necessity", "directed low tide"),
        (FILM, "Recommendation from a Listing", "low tide"),
        (FILM, "Part-of-part Detail", "low tide"),
        (FILM, "Dominant-sense Polysemy", "who shot low tide"),
        (FILM, "Collapsed Search Query", "low tide"),
        (FILM, "Particle Census of a Named Thing", "low tide"),
        (FILM, "Minute Precision Present", None),
        (OPENED, "Minute Precision Present", "opened to the public"),
        (FILM, "Survey Wording Around a Stated Fact", "directed low tide"),
    ],
)
def test_lever_asks_in_the_register_of_the_question(base: BaseInstance, name: str, expected: str | None) -> None:
    made = pulled(base, name)
    if expected is None:
        assert isinstance(made, Declined)
        return
    assert isinstance(made, Draft), made
    assert expected in made.question
    assert made.question == made.question.lower()
    assert made.changed == {}


@pytest.mark.parametrize(
    ("base", "supposed"),
    [(FILM, "somebody else had directed low tide"), (OPENED, "the corran mill had never been opened to the public")],
)
def test_counterfactual_supposes_that_what_is_asked_for_had_not_been(base: BaseInstance, supposed: str) -> None:
    asked = {draft(base, "Short Counterfactual Inquiry", seed).question for seed in range(12)}
    assert any(supposed in question for question in asked), asked


APART = single(
    "who designed the corran mill",
    ("Peter Quill",),
    "The Corran Mill was designed by Peter Quill. It was leased by Martin Penrose and was closed in 1994.",
)


def test_either_or_gives_two_years_where_the_year_answers() -> None:
    base = single("when was the corran mill built", ("1802",), "The Corran Mill was built in 1802. It is a museum.")
    years = re.search(r"in (\d{4}) or (\d{4})\.", draft(base, "Sluiced-Wh Ambiguity").changed[0])
    assert years is not None and "1802" in years.groups() and years[1] < years[2]


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        (("Peter Quill",), APART.passages[0].text),
        (("1994",), f"{APART.passages[0].text} It has been shut since 1994."),
    ],
)
def test_either_or_declines_names_and_dates_told_twice(answers: tuple[str, ...], text: str) -> None:
    asked = "who designed the corran mill" if answers == ("Peter Quill",) else "when was the corran mill closed"
    assert isinstance(pulled(single(asked, answers, text), "Sluiced-Wh Ambiguity"), Declined)


def test_question_on_a_place_that_is_only_mentioned_declines() -> None:
    text = "The election commissioner is appointed by the president of India. He serves for six years."
    base = single("who appoints the election commissioner of india", ("the president",), text)
    for name in ("Probability without Data", "Recommendation from a Listing"):
        assert isinstance(pulled(base, name), Declined)


def test_follow_up_says_nothing_of_what_is_asked_about() -> None:
    text = OPENED.passages[0].text + " Ada Brandt and Ned Corbin paid for it."
    base = single(OPENED.question, OPENED.answers, text)
    assert all("mill" not in draft(base, "Orphaned Follow-up", seed).question for seed in range(8))


@pytest.mark.parametrize("question", ["who wrote where are you", "who wrote how to"])
def test_search_query_of_small_words_alone_declines(question: str) -> None:
    base = single(question, ("Ada Brandt",), "Where Are You and How To are songs by Ada Brandt.")
    assert isinstance(pulled(base, "Collapsed Search Query"), Declined)


def test_finer_part_of_a_year_is_not_asked_of_what_takes_longer() -> None:
    base = single("when was the corran mill built", ("1802",), "The Corran Mill was built in 1802. It is a museum.")
    assert isinstance(pulled(base, "Part-of-part Detail"), Declined)
