"""What is missing is missing everywhere; what is cut at LOW nobody asks for."""

import pytest

from demur.levers.vocabulary import LeverClass
from demur.rules.operators.registry import DeclineReason
from demur.text.answers import find_answers
from tests.rules.recipes.drafts import Recipes
from tests.text.bases import several, single

MISSING = Recipes(LeverClass.MISSING_INFO)


@pytest.mark.parametrize("name", ["Answer Clause Excised", "Answer Token Purge"])
def test_answer_is_gone_from_every_passage_noise_included(name: str) -> None:
    base = several(
        "In which town did the founder of Brightwater Press die?",
        ("Halden",),
        ("Brightwater Press was founded by Mara Lindqvist in 1921. It printed maps.", True),
        (
            "Mara Lindqvist was a Swedish printer who drew maps of the whole coast. She died in Halden in 1960. Many "
            "plates of maps were kept in a barn for years.",
            True,
        ),
        (
            "A museum of printing stands by the river and shows old presses. Halden lent it a press. The museum is "
            "open in summer and free for children.",
            False,
        ),
    )
    made = MISSING.draft(base, name)
    texts = {p.index: made.changed.get(p.index, p.text) for p in base.passages}
    assert not [i for i, text in texts.items() if find_answers(text, base.answers)]
    assert made.question == base.question and "Many plates" in texts[1]


def test_chunk_cut_breaks_off_before_the_answer() -> None:
    base = single(
        "who built the mill", ("Ada Brandt",), "The mill at Selby grinds oats for the town. It was built by Ada Brandt."
    )
    made = MISSING.draft(base, "Chunk Cut before the Answer")
    assert made.changed[0] == "The mill at Selby grinds oats for the town. It was built by"


def test_parenthesis_after_a_title_that_asks_stays() -> None:
    base = several(
        "Who made the second album?",
        ("Ada Brandt",),
        ("Why Is There Fog? (1965) is the second album by Ada Brandt, a singer from the town of Selby.", True),
        ("Selby is a town with a mill.", False),
    )
    assert MISSING.declined(base, "Parenthetical Excise") is DeclineReason.NOTHING_PERIPHERAL


@pytest.mark.parametrize(
    "text",
    [
        "The mill at Selby was built by Ada Brandt. It grinds oats for the town. It stands by the river and is open.",
        "Selby has a mill by the river. Ada Brandt built it in 1820. The shaft was made of larch by smiths.",
        "Selby has a mill by the river. Ada Brandt built it in 1820. Six similar mills were built by smiths.",
        "The town of Selby has a mill by the river. Ada Brandt built it in 1820. Two were torn down by an angry crowd.",
    ],
)
def test_answer_sentence_stays_where_it_opens_the_passage_or_the_next_one_takes_it_up(text: str) -> None:
    base = single("who built the mill", ("Ada Brandt",), text)
    assert MISSING.declined(base, "Answer Clause Excised") is DeclineReason.NO_SUITABLE_SPAN


def test_chunk_cut_declines_where_the_first_mention_is_not_the_statement_that_answers() -> None:
    text = "The mill at Selby is named for Ada Brandt by the town. It was built by Ada Brandt, who built it alone."
    base = single("who built the mill", ("Ada Brandt",), text)
    assert MISSING.declined(base, "Chunk Cut before the Answer") is DeclineReason.NO_SUITABLE_SPAN
