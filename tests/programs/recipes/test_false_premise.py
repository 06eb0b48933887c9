"""Recipes of P-FalsePremise: what the question comes to presuppose, in which words, and what stays as it was."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levers.load import load_catalogue
from levers.vocabulary import Intensity, LeverClass, Origin
from programs.checks.examples import check_example
from programs.checks.results import Outcome
from programs.instances import BaseInstance
from programs.rules.recipes.registry import Declined, DeclineReason, Draft
from tests.programs.recipes.drafts import executable, pull, pull_all
from tests.programs.rules.bases import ACTRESS, ALL, COUNT, LIGHTHOUSE, TOWN, dev_set, single

CLASS = LeverClass.FALSE_PREMISE
LEVERS = {lever.name: lever for lever in load_catalogue() if lever.lever_class is CLASS}
FILM = single(
    "who directed the film paper tides",
    ("Maria Garza",),
    "Paper Tides is a film about a mill town, first shown in 1971. It was directed by Maria Garza. "
    "Maria Garza (born 4 May 1950) is a director from Lima.",
)


def asked(base: BaseInstance, name: str, seed: int = 1) -> str:
    made = pull(base, LEVERS[name], seed).made
    assert isinstance(made, Draft)
    return made.question


def declined(base: BaseInstance, name: str) -> DeclineReason:
    made = pull(base, LEVERS[name]).made
    assert isinstance(made, Declined)
    return made.reason


def test_catalogue_examples_pass_every_code_check() -> None:
    faults = [
        (lever.name, result.evidence)
        for lever in LEVERS.values()
        for example in lever.examples
        for result in check_example(example, lever)
        if result.outcome is Outcome.FAIL
    ]
    assert faults == []


@pytest.mark.parametrize("intensity", list(Intensity))
def test_catalogue_stratum_has_six_executable_levers_and_one_of_our_own(intensity: Intensity) -> None:
    stratum = [lever for lever in LEVERS.values() if lever.intensity is intensity]
    assert sum(lever.recipe is not None for lever in stratum) >= 6
    assert any(lever.origin is Origin.DEMUR for lever in stratum)


def test_every_recipe_on_made_bases_yields_no_failed_check() -> None:
    failures = [f for base in (*ALL, FILM) for pulled in pull_all(base, CLASS) for f in pulled.failures]
    assert failures == []


def test_every_recipe_changes_the_question_and_no_passage() -> None:
    for base in (*ALL, FILM):
        for pulled in pull_all(base, CLASS):
            if isinstance(pulled.made, Draft):
                assert pulled.made.changed == {}
                assert pulled.made.question != base.question


def test_every_recipe_keeps_the_register_of_the_question() -> None:
    for pulled in (*pull_all(ACTRESS, CLASS), *pull_all(FILM, CLASS)):
        if isinstance(pulled.made, Draft):
            assert pulled.made.question == pulled.made.question.lower()
            assert not pulled.made.question.endswith("?")
    for pulled in pull_all(LIGHTHOUSE, CLASS):
        if isinstance(pulled.made, Draft):
            assert pulled.made.question[0].isupper()
            assert pulled.made.question.endswith("?")


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), number=st.integers(0, len(ALL) - 1))
def test_recipes_with_one_seed_make_one_draft(seed: int, number: int) -> None:
    base = ALL[number]
    for lever in executable(CLASS):
        assert pull(base, lever, seed).made == pull(base, lever, seed).made


def test_low_openings_on_any_question_keep_its_words() -> None:
    for name in ("Assumed Second Edition", "Non-existent Committee", "Wrong Place in the Source"):
        assert asked(LIGHTHOUSE, name).endswith("when was the Corran lighthouse built?")


def test_over_specific_year_before_a_work_is_not_the_year_of_the_passage() -> None:
    question = asked(FILM, "Over-specific Year")
    assert question.startswith("who directed the 19")
    assert question.endswith("film paper tides")
    assert "1971" not in question


def test_phantom_product_on_a_film_asks_the_question_of_a_spin_off() -> None:
    question = asked(FILM, "Phantom Product Line")
    assert question.startswith("who directed the ")
    assert question.endswith("based on the film paper tides")


def test_phantom_product_without_a_work_declines_with_a_reason() -> None:
    assert declined(LIGHTHOUSE, "Phantom Product Line") is DeclineReason.NO_SUITABLE_SPAN


def test_burial_of_a_person_born_and_not_dead_asks_for_the_grave() -> None:
    assert "maria garza" in asked(FILM, "Burial for a Living Person")
    assert "buried" in asked(FILM, "Burial for a Living Person")


def test_burial_without_a_living_person_declines_with_a_reason() -> None:
    assert declined(LIGHTHOUSE, "Burial for a Living Person") is DeclineReason.NO_SUITABLE_SPAN


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


def test_division_fallacy_counts_the_letters_of_the_name() -> None:
    question = asked(TOWN, "Division Fallacy")
    assert "Brightwater Press has sixteen letters" in question


@pytest.mark.parametrize(("name", "least"), [("single_doc_dev.jsonl", 0.85), ("multi_doc_dev.jsonl", 0.75)])
def test_strata_on_development_sets_are_covered(name: str, least: float) -> None:
    bases = dev_set(name)[::7]
    reached: Counter[Intensity] = Counter()
    for number, base in enumerate(bases):
        good = {
            p.lever.intensity for p in pull_all(base, CLASS, number) if isinstance(p.made, Draft) and not p.failures
        }
        reached.update(good)
    assert {i: reached[i] / len(bases) for i in Intensity if reached[i] / len(bases) < least} == {}
