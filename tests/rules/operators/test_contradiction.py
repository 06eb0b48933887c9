"""Contradictions give the core of the sentence that answers once more; the accepted answer stays where it was."""

import re

import pytest

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import LeverClass
from demur.rules.edits.shortening import core
from demur.rules.operators.registry import DeclineReason
from demur.text.analysis import analyse
from demur.text.answers import find_answers
from tests.rules.recipes.drafts import Recipes
from tests.text.bases import DAM, POLAR, several, single

CONTRA = Recipes(LeverClass.CONTRADICTION)
SEEDS = range(6)
BALLAD = single(
    "who wrote the ballad of the red mare",
    ("Maria Garza",),
    "The ballad of the red mare was written by Maria Garza in 1971, when she lived in Orlo. It has nine verses.",
)
FERRY = single(
    "when did the ferry to orlo start",
    ("14 June 1871",),
    "The ferry to Orlo started on 14 June 1871. It was a wooden boat with one mast. Nobody paid for children.",
)
PRESS = several(
    "Which year did the founder of Brightwater Press die?",
    ("1960",),
    ("Brightwater Press was founded by Mara Lindqvist in 1921. It printed maps of the coast.", True),
    ("Mara Lindqvist was a Swedish printer of maps. She died in Halden in 1960.", True),
    ("Oak Press printed hymn books until 1950. It was sold to a rival in the same street of the town.", False),
)


def added(base: BaseInstance, name: str, seed: int = 1) -> str:
    """Return what stands behind or before the one passage, which stays as it was."""
    (text,) = CONTRA.draft(base, name, seed).changed.values()
    assert base.passages[0].text in text
    return text.replace(base.passages[0].text, "").strip()


def test_second_version_states_another_person_in_the_words_of_the_question() -> None:
    for seed in SEEDS:
        told = added(BALLAD, "Undated Twin Versions", seed)
        assert re.fullmatch(r"The ballad of the red mare was written by (?!Maria)\w+ Garza\.", told)


def test_shorter_version_of_a_day_stays_in_its_year_and_keeps_its_form() -> None:
    for seed in SEEDS:
        told = added(FERRY, "Undated Twin Versions", seed)
        assert re.fullmatch(r"The ferry to Orlo started on 14 (?!June)[A-Z][a-z]+ 1871\.", told)


def test_shorter_version_with_several_passages_stands_in_the_place_of_a_noise_passage() -> None:
    for seed in SEEDS:
        made = CONTRA.draft(PRESS, "Undated Twin Versions", seed)
        assert set(made.changed) == {2} and not find_answers(made.changed[2], PRESS.answers)
        assert re.search(r"Mara Lindqvist died in Halden in (?!1960)19\d\d\.", made.changed[2])


@pytest.mark.parametrize("base", [POLAR, DAM])
def test_shorter_version_of_what_has_no_other_value_declines(base: BaseInstance) -> None:
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.NO_RIVAL


def test_shorter_version_declines_where_three_other_sentences_say_the_answer() -> None:
    text = f"{FERRY.passages[0].text} 14 June 1871 was a Sunday. On 14 June 1871 it rained. The 14 June 1871 was long."
    base = single(FERRY.question, FERRY.answers, text)
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.NO_SUITABLE_SPAN


def test_end_is_dated_before_the_beginning() -> None:
    base = single(
        "when was the mill opened",
        ("1871",),
        "The mill at Temm was opened in 1871. It ground rye for the whole valley. A fire damaged its roof.",
    )
    told = re.fullmatch(r"The mill was closed in (\d{4})\.", added(base, "Temporal Paradox"))
    assert told is not None and int(told[1]) < 1871


def test_second_version_declines_where_a_year_near_the_answer_stands_elsewhere() -> None:
    base = single(FERRY.question, FERRY.answers, f"{FERRY.passages[0].text} It has sailed since 1871.")
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.ANSWER_TYPE


def test_loose_version_rounds_a_date_to_a_part_of_its_decade() -> None:
    assert added(FERRY, "Approx vs Exact") == "The ferry to Orlo started in the early 1870s."


def test_misread_version_has_no_accepted_answer() -> None:
    for seed in SEEDS:
        told = added(BALLAD, "Scan Damage beside Clean Text", seed)
        assert not find_answers(told, BALLAD.answers) and re.search(r"[A-Za-z][01][a-z]", told)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The mill was built by Ned Corbin, who came from Orlo.", "The mill was built by Ned Corbin."),
        ("She was taught by Ned Corbin.", None),
        ("The mill, a ruin (seen from Orlo), was built by Ned Corbin.", "The mill, a ruin, was built by Ned Corbin."),
    ],
)
def test_core_is_a_sentence_that_stands_alone_or_nothing(sentence: str, expected: str | None) -> None:
    base = single("who built the mill", ("Ned Corbin",), sentence)
    found = core(analyse(base), sentence)
    assert found == expected
