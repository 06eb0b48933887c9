"""Contradictions give the statement that answers once more; the accepted answer stays where it was."""

import re

import pytest

from demur.levers.vocabulary import LeverClass
from demur.rules.operators.registry import DeclineReason
from demur.text.answers import find_answers
from tests.rules.recipes.drafts import Recipes
from tests.text.bases import several, single

CONTRA = Recipes(LeverClass.CONTRADICTION)
SEEDS = range(6)
NOISE = ("Oak Press printed hymn books until 1950. It was sold to a rival in the same street of the town.", False)
PRESS = several(
    "Which year did the founder of Brightwater Press die?",
    ("1960",),
    ("Brightwater Press was founded by Mara Lindqvist in 1921. It printed maps of the coast.", True),
    ("Mara Lindqvist was a Swedish printer of maps. She died in Halden in 1960. The press was sold.", True),
    NOISE,
)
BALLAD = single(
    "who wrote the ballad of the red mare",
    ("Maria Garza",),
    "The ballad of the red mare was written by Maria Garza in 1971. It has nine verses. It is sung at fairs.",
)


def test_second_version_with_another_year_stands_in_the_place_of_a_noise_passage() -> None:
    for seed in SEEDS:
        made = CONTRA.draft(PRESS, "Undated Twin Versions", seed)
        assert set(made.changed) == {2} and not find_answers(made.changed[2], PRESS.answers)
        told = made.changed[2].removeprefix("Mara Lindqvist was a Swedish printer of maps. ")
        assert re.fullmatch(r"She died in Halden in (?!1960)19\d\d\. The press was sold\.", told)


@pytest.mark.parametrize(
    "told", ["The press was sold in 1961.", "The press was re-opened.", "A sequel to her atlas followed."]
)
def test_second_version_declines_where_the_passages_tell_which_year_holds(told: str) -> None:
    signal, answering, noise = (p.text for p in PRESS.passages)
    texts = ((signal, True), (answering.replace("The press was sold.", told), True), (noise, False))
    base = several(PRESS.question, PRESS.answers, *texts)
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.ANSWER_TYPE


def test_second_version_needs_a_passage_in_whose_place_it_can_stand() -> None:
    base = single(PRESS.question, PRESS.answers, PRESS.passages[1].text)
    assert CONTRA.declined(base, "Undated Twin Versions") is DeclineReason.NO_NOISE_PASSAGE


def test_misread_sentence_stands_behind_the_passage_and_has_no_accepted_answer() -> None:
    (text,) = CONTRA.draft(BALLAD, "Scan Damage beside Clean Text").changed.values()
    before, _, told = text.partition("\n\n")
    assert before == BALLAD.passages[0].text
    assert told == "The ballad of the red mare was written by Maria Garza in 1971.".replace("Maria", "Mar1a") or (
        not find_answers(told, BALLAD.answers) and re.search(r"[A-Za-z][01][a-z]", told)
    )
