"""What is missing is missing everywhere; what is cut at LOW nobody asks for."""

import re

import pytest

from demur.levers.vocabulary import LeverClass
from demur.rules.operators.registry import DeclineReason
from demur.text.answers import find_answers
from tests.rules.recipes.drafts import CORPUS, Recipes
from tests.text.bases import ACTRESS, COUNT, LIGHTHOUSE, TOWN, several, single

MISSING = Recipes(LeverClass.MISSING_INFO)


@pytest.mark.parametrize(
    "name",
    ["Damaged Deciding Token", "Placeholder Citation", "Link without Its Target"],
)
def test_answer_is_gone_from_every_passage_noise_included(name: str) -> None:
    made = MISSING.draft(TOWN, name)
    texts = {p.index: made.changed.get(p.index, p.text) for p in TOWN.passages}
    assert not [i for i, text in texts.items() if find_answers(text, TOWN.answers)]
    assert made.question == TOWN.question


def test_mark_stands_in_the_place_of_the_answer_and_nothing_else_changes() -> None:
    text = MISSING.draft(COUNT, "Damaged Deciding Token").changed[0]
    assert re.sub(r"\[figure [a-z ]+\]", "seven bells", text) == COUNT.passages[0].text != text


@pytest.mark.parametrize(
    "text",
    [
        "Arn Mill is a mill in Selby. Rye is ground there.",
        "The oldest in Selby is Arn Mill, such as it is.",
        "The oldest in Selby is Arn Mill. Oak Mill is no younger, and Bel Mill has a wheel of iron.",
    ],
)
def test_mark_declines_where_what_stays_lets_the_answer_be_guessed(text: str) -> None:
    base = single("which is the oldest in selby", ("Arn Mill",), text)
    assert isinstance(MISSING.declined(base, "Damaged Deciding Token"), DeclineReason)


def test_chunk_cut_breaks_off_before_the_answer() -> None:
    base = single(
        "who built the mill", ("Ada Brandt",), "The mill at Selby grinds oats for the town. It was built by Ada Brandt."
    )
    made = MISSING.draft(base, "Chunk Cut before the Answer")
    assert made.changed[0] == "The mill at Selby grinds oats for the town. It was built by"


def test_chunk_tail_keeps_the_answer() -> None:
    text = MISSING.draft(COUNT, "Chunk Tail Cut Off").changed[0]
    assert COUNT.passages[0].text.startswith(text) and find_answers(text, COUNT.answers)


def test_trim_month_leaves_the_year_and_the_answer() -> None:
    text = MISSING.draft(ACTRESS, "Trim Month but Keep Year").changed[0]
    assert "premiered in 2009" in text


def test_parenthesis_after_a_title_that_asks_stays() -> None:
    base = several(
        "Who made the second album?",
        ("Ada Brandt",),
        ("Why Is There Fog? (1965) is the second album by Ada Brandt, a singer from the town of Selby.", True),
        ("Selby is a town with a mill.", False),
    )
    assert MISSING.declined(base, "Parenthetical Excise") is DeclineReason.NOTHING_PERIPHERAL


def test_passages_of_the_corpus_share_no_word_with_the_question() -> None:
    made = MISSING.draft(LIGHTHOUSE, "Entirely Irrelevant Context")
    assert made.changed[0] in CORPUS.texts and "Corran" not in made.changed[0]


def test_shell_keeps_the_title_only() -> None:
    text = MISSING.draft(ACTRESS, "Zero-Row Table").changed[0]
    assert text.startswith("The Long Winter") and "Delmar" not in text


def test_answer_of_several_things_declines_a_mark() -> None:
    base = single(
        "what falls from clouds", ("rain", "snow"), "Rain falls from clouds in Selby. In winter snow falls from them."
    )
    assert MISSING.declined(base, "Damaged Deciding Token") is DeclineReason.ANSWER_WOULD_REMAIN
