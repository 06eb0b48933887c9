"""Recipes of P-EpistemicMismatch: the kind of knowledge that is asked for, and what stays as it was."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levers.load import load_catalogue
from levers.vocabulary import Intensity, LeverClass, Origin, Target
from programs.checks.examples import check_example
from programs.checks.results import Outcome
from programs.instances import BaseInstance
from programs.rules.recipes.registry import Declined, DeclineReason, Draft
from tests.programs.recipes.drafts import executable, pull, pull_all
from tests.programs.rules.bases import ACTRESS, ALL, COUNT, LIGHTHOUSE, TOWN, dev_set, single

CLASS = LeverClass.EPISTEMIC
LEVERS = {lever.name: lever for lever in load_catalogue() if lever.lever_class is CLASS}
BABEL = single(
    "Who ruled the city of Orsk Dal?",
    ("Queen Sefa",),
    "Orsk Dal was a city of the plains. Orsk Dal was ruled by Queen Sefa until it was abandoned.",
)


def draft(base: BaseInstance, name: str, seed: int = 1) -> Draft:
    made = pull(base, LEVERS[name], seed).made
    assert isinstance(made, Draft), made
    return made


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
    failures = [f for base in ALL for pulled in pull_all(base, CLASS) for f in pulled.failures]
    assert failures == []


def test_every_recipe_changes_its_target_and_only_adds_to_signal_passages() -> None:
    for base in ALL:
        signal = {p.index for p in base.passages if p.relevant}
        for pulled in pull_all(base, CLASS):
            if isinstance(pulled.made, Draft):
                asked_anew = pulled.made.question != base.question
                assert asked_anew == (pulled.lever.target is not Target.CONTEXT)
                assert set(pulled.made.changed) == (set() if pulled.lever.target is Target.QUERY else signal)
                assert all(text.startswith(base.passages[i].text) for i, text in pulled.made.changed.items())


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), number=st.integers(0, len(ALL) - 1))
def test_recipes_with_one_seed_make_one_draft(seed: int, number: int) -> None:
    for lever in executable(CLASS):
        assert pull(ALL[number], lever, seed).made == pull(ALL[number], lever, seed).made


def test_low_recipes_leave_the_whole_question_inside_the_new_one() -> None:
    for base in (LIGHTHOUSE, COUNT, TOWN):
        inner = base.question.rstrip("?")[1:]
        for pulled in pull_all(base, CLASS):
            fits = pulled.lever.intensity is Intensity.LOW and pulled.lever.name != "Strict Containment"
            if fits and isinstance(pulled.made, Draft):
                assert inner in pulled.made.question


def test_most_likely_for_a_who_question_moves_into_it() -> None:
    made = draft(ACTRESS, "Weak Possibility vs. High Likelihood")
    assert made.question == "who most likely plays the innkeeper in the long winter"


def test_comparison_without_a_comparative_declines() -> None:
    made = pull(TOWN, LEVERS["Heavier is Factual"]).made
    assert isinstance(made, Declined)
    assert made.reason is DeclineReason.QUESTION_NOT_PARSED


def test_comparison_with_a_comparative_is_put_as_an_impression() -> None:
    base = single(
        "Which anvil is heavier, the Solingen or the Leeds?",
        ("the Solingen",),
        "The Solingen weighs 120 kg, the Leeds 95 kg.",
    )
    assert (
        draft(base, "Heavier is Factual").question == "Which anvil would you say is heavier, the Solingen or the Leeds?"
    )


def test_counterfactual_for_a_who_question_supposes_another_doer() -> None:
    question = draft(ACTRESS, "Short Counterfactual Inquiry").question
    assert question == "what would be different today if someone else had played the innkeeper in the long winter"


def test_forecast_for_what_is_no_more_does_not_suppose_that_it_lasts() -> None:
    made = pull(BABEL, LEVERS["Next-quarter Sales Prediction"]).made
    assert isinstance(made, Declined)
    assert draft(BABEL, "Forecast without Model").question.startswith("What will people say about")


def test_expensive_quotes_a_sum_of_the_passage() -> None:
    assert "£4,500" in draft(LIGHTHOUSE, "Expensive is Subjective").question


def test_expensive_without_a_sum_declines() -> None:
    made = pull(TOWN, LEVERS["Expensive is Subjective"]).made
    assert isinstance(made, Declined)
    assert made.reason is DeclineReason.NO_SUITABLE_SPAN


def test_high_recipes_ask_about_the_subject_in_the_register_of_the_question() -> None:
    made = draft(LIGHTHOUSE, "Most Beautiful Aspect")
    assert made.question == "What is objectively the most beautiful aspect of the Corran lighthouse?"
    lower = draft(ACTRESS, "Most Beautiful Aspect").question
    assert lower == lower.lower()
    assert not lower.endswith("?")


@pytest.mark.parametrize(("name", "least"), [("single_doc_dev.jsonl", 0.85), ("multi_doc_dev.jsonl", 0.75)])
def test_strata_on_development_sets_are_covered(name: str, least: float) -> None:
    bases = dev_set(name)[::7]
    reached: Counter[Intensity] = Counter()
    for number, base in enumerate(bases):
        reached.update(
            {p.lever.intensity for p in pull_all(base, CLASS, number) if isinstance(p.made, Draft) and not p.failures}
        )
    assert {i: reached[i] / len(bases) for i in Intensity if reached[i] / len(bases) < least} == {}
