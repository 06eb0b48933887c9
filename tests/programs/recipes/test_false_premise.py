"""Recipes of P-FalsePremise: what the question comes to presuppose, in which words, and what stays as it was."""

import re

import pytest

from demur.levers.vocabulary import LeverClass
from demur.programs.instances import BaseInstance
from demur.programs.rules.edits.style import Style
from demur.programs.rules.recipes.registry import DeclineReason
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import ACTRESS, COUNT, FILM, LIGHTHOUSE, MADE, TOWN, single

RECIPES = Recipes(LeverClass.FALSE_PREMISE)


def asked(base: BaseInstance, name: str, seed: int = 1) -> str:
    made = RECIPES.draft(base, name, seed)
    return made.question


def test_every_recipe_changes_the_question_and_no_passage() -> None:
    for base in MADE:
        for _, draft in RECIPES.drafts(base):
            assert draft.changed == {}
            assert draft.question != base.question


def test_every_recipe_keeps_the_register_of_the_question() -> None:
    for _, draft in (*RECIPES.drafts(ACTRESS), *RECIPES.drafts(FILM)):
        assert draft.question == draft.question.lower()
        assert not draft.question.endswith("?")
    for _, draft in RECIPES.drafts(LIGHTHOUSE):
        assert draft.question[0].isupper()
        assert draft.question.endswith("?")


def test_low_openings_on_any_question_keep_its_words() -> None:
    for name in ("Assumed Second Edition", "Non-existent Committee", "Wrong Place in the Source"):
        assert asked(LIGHTHOUSE, name).endswith("when was the Corran lighthouse built?")


def test_over_specific_year_before_a_work_is_not_the_year_of_the_passage() -> None:
    question = asked(FILM, "Over-specific Year")
    assert question.startswith("who directed the 19")
    assert question.endswith("film paper tides")
    assert "1971" not in question


@pytest.mark.parametrize("made", [1971, 2019, 2034])
def test_over_specific_year_is_near_those_of_the_text_and_no_later(made: int) -> None:
    told = f"Harbour Lights is a film of {made}. The film was directed by Anna Sorel."
    base = single("who directed the film harbour lights", ("Anna Sorel",), told)
    years = {int(re.findall(r"\d{4}", asked(base, "Over-specific Year", seed))[0]) for seed in range(12)}
    assert years <= {made - 4, made - 3, made - 2} and len(years) > 1


def test_phantom_product_on_a_film_asks_the_question_of_a_spin_off() -> None:
    question = asked(FILM, "Phantom Product Line")
    assert question.startswith("who directed the ")
    assert question.endswith("based on the film paper tides")


def test_phantom_product_without_a_work_declines_with_a_reason() -> None:
    assert RECIPES.declined(LIGHTHOUSE, "Phantom Product Line") is DeclineReason.NO_SUITABLE_SPAN


def test_burial_of_a_person_born_and_not_dead_asks_for_the_grave() -> None:
    assert "maria garza" in asked(FILM, "Burial for a Living Person")
    assert "buried" in asked(FILM, "Burial for a Living Person")


def test_burial_without_a_living_person_declines_with_a_reason() -> None:
    assert RECIPES.declined(LIGHTHOUSE, "Burial for a Living Person") is DeclineReason.NO_SUITABLE_SPAN


def test_wrong_value_for_a_day_asks_for_the_hour_of_another_day() -> None:
    question = asked(LIGHTHOUSE, "Wrong Value Presumed")
    assert question.startswith("At what hour on 14 June 18")
    assert "1871" not in question
    assert question.endswith("was the Corran lighthouse built?")


def test_factive_verb_embeds_a_person_whom_the_passage_does_not_name() -> None:
    question = asked(ACTRESS, "Factive Verb Contradiction")
    assert question.endswith("plays the innkeeper in the long winter")
    assert "delmar" not in question


def test_impossible_geography_for_a_town_asks_within_another_city() -> None:
    base = single(
        "Where is the Tolman mill located?",
        ("Selby",),
        "The Tolman mill is located in Selby. It was built of brick and has two wheels.",
    )
    question = asked(base, "Impossible Geography")
    assert question.startswith("In which part of ")
    assert question.endswith("is the Tolman mill located?")
    assert "Selby" not in question


def test_category_swap_for_a_date_asks_for_its_weight() -> None:
    assert asked(LIGHTHOUSE, "Category Swap") == (
        "How many kilograms does the date on which the Corran lighthouse was built weigh?"
    )


def test_infinite_set_for_a_count_asks_for_the_last_of_endlessly_many() -> None:
    question = asked(COUNT, "Infinite Set with Finite Size")
    assert question == "which is the very last of the infinitely many bells that hang in the tower of saint orla"


def test_division_fallacy_hands_down_what_things_of_the_named_kind_have() -> None:
    assert asked(TOWN, "Division Fallacy") == (
        "Since Brightwater Press as a whole consists of several people, how many people does each single member of "
        "Brightwater Press therefore consist of?"
    )


def test_fallacies_of_a_name_without_a_known_kind_speak_of_its_letters() -> None:
    base = single("When was Orlo Dazbe made?", ("1931",), "Orlo Dazbe was made in 1931. It smells of tar.")
    assert "Orlo Dazbe has nine letters" in asked(base, "Division Fallacy")


def test_insertions_after_a_name_for_many_decline() -> None:
    base = single(
        "Who founded the Selby Rovers?",
        ("Ida Sorel",),
        "Ida Sorel founded the Selby Rovers. The Selby Rovers are a team.",
    )
    assert RECIPES.declined(base, "Imaginary Add-on") is DeclineReason.NO_SUITABLE_SPAN
    assert RECIPES.declined(base, "Award Presupposition") is DeclineReason.NO_TOPIC


@pytest.mark.parametrize("place", ["the United States", "Montana"])
def test_capital_of_another_country_is_said_of_towns_only(place: str) -> None:
    base = single(f"Who explored {place}?", ("Ida Sorel",), f"Ida Sorel explored {place} on foot. She drew maps.")
    assert RECIPES.declined(base, "Misstated Capital City") is DeclineReason.NO_SUITABLE_SPAN


def test_impossible_time_for_what_holds_at_no_one_time_declines() -> None:
    base = single("What is the capital of Orlo?", ("Dazbe",), "Dazbe is the capital of Orlo. It has a fort.")
    assert RECIPES.declined(base, "Before Its Own Beginning") is DeclineReason.NO_SUITABLE_SPAN


def test_fact_of_a_question_that_leans_on_its_first_sentence_is_not_taken_up() -> None:
    base = single(
        "Orlo has a fort. Who built it?", ("Ida Sorel",), "The fort of Orlo was built by Ida Sorel. It is round."
    )
    assert RECIPES.declined(base, "Phantom Correction") is DeclineReason.QUESTION_NOT_PARSED


def test_stopping_is_not_presumed_of_what_changes_no_hands() -> None:
    base = single(
        "What is the date of the Orlo fort?", ("1931",), "The date of the Orlo fort is 1931. It is built of stone."
    )
    assert RECIPES.declined(base, "Stopped vs. Never Started") is DeclineReason.NO_SUITABLE_SPAN


def test_survey_wording_stays_short_in_both_styles() -> None:
    orchestra = single(
        "Who founded the Sund Orchestra?",
        ("Karin Thale",),
        "Karin Thale founded the Sund Orchestra in 1950. It has sixty members and plays in Roslin Hall.",
    )
    for style in Style:
        question = RECIPES.draft(orchestra, "Survey Wording Preamble", 1, style).question
        assert len(question.split()) - len(orchestra.question.split()) <= 18
