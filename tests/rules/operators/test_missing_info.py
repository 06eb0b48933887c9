"""What is missing is missing everywhere; what is cut at LOW nobody asks for."""

import pytest

from demur.levers.vocabulary import LeverClass
from demur.rules.operators.registry import DeclineReason, Draft
from demur.text.answers import find_answers
from tests.rules.recipes.drafts import CORPUS, Recipes
from tests.text.bases import ACTRESS, COUNT, LIGHTHOUSE, several, single

MISSING = Recipes(LeverClass.MISSING_INFO)


@pytest.mark.parametrize("name", ["Answer Clause Excised", "Answer Token Purge"])
def test_answer_is_gone_from_every_passage_noise_included(name: str) -> None:
    base = several(
        "In which town did the founder of Brightwater Press die?",
        ("Halden",),
        ("Brightwater Press was founded by Mara Lindqvist in 1921. It printed maps.", True),
        (
            "Mara Lindqvist was a Swedish printer who drew maps of the whole coast. She died in Halden in 1960. The "
            "plates of her maps were kept in a barn for many years.",
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
    assert made.question == base.question and "The plates" in texts[1]


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


def test_agent_is_deleted_with_its_preposition() -> None:
    text = "The mill at Selby was built by Ada Brandt in 1820. It grinds oats for the town. It stands by the river."
    base = single("who built the mill at selby", ("Ada Brandt",), text)
    assert MISSING.draft(base, "Agent Deletion").changed[0] == text.replace(" by Ada Brandt", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The mill at Temm was opened in 1871 by a rower. It ground rye.", "The mill at Temm was opened by a rower."),
        ("The mill was planned, and in 1871, the mill was opened. It ground rye.", None),
        ("In 1871-style halls, the mill was opened. It ground rye.", None),
    ],
)
def test_phrase_of_time_goes_where_it_is_plain_which_words_belong_to_it(text: str, expected: str | None) -> None:
    base = single("when was the mill opened", ("1871",), text)
    made = MISSING.pull(base, "Missing Temporal Adjunct").made
    assert (made.changed[0].split(" It")[0] if isinstance(made, Draft) else None) == expected
