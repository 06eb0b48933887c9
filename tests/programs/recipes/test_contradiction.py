"""Recipes of P-Contradiction: what they add, where they add it, and what they leave alone."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levers.load import load_catalogue
from levers.vocabulary import Intensity, Layout, LeverClass, Origin
from programs.checks.examples import check_example
from programs.checks.results import Outcome
from programs.instances import BaseInstance
from programs.rules.recipes.registry import Declined, DeclineReason, Draft
from tests.programs.recipes.drafts import executable, pull, pull_all
from tests.programs.rules.bases import ACTRESS, ALL, LIGHTHOUSE, POLAR, TOWN, dev_set, single

CLASS = LeverClass.CONTRADICTION
LEVERS = {lever.name: lever for lever in load_catalogue() if lever.lever_class is CLASS}


def added(base: BaseInstance, name: str, seed: int = 1) -> str:
    made = pull(base, LEVERS[name], seed).made
    assert isinstance(made, Draft)
    ((index, text),) = made.changed.items()
    old = base.passages[index].text
    assert text.startswith(old)
    return text.removeprefix(old).strip()


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


def test_every_recipe_leaves_the_question_and_all_passages_but_one_alone() -> None:
    for base in ALL:
        for pulled in pull_all(base, CLASS):
            if isinstance(pulled.made, Draft):
                assert pulled.made.question == base.question
                ((index, text),) = pulled.made.changed.items()
                assert text.startswith(base.passages[index].text)
                assert base.layout is Layout.SINGLE or not base.passages[index].relevant


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), number=st.integers(0, len(ALL) - 1))
def test_recipes_with_one_seed_make_one_draft(seed: int, number: int) -> None:
    base = ALL[number]
    for lever in executable(CLASS):
        assert pull(base, lever, seed).made == pull(base, lever, seed).made


def test_modal_dilution_for_a_date_excludes_the_answer_and_admits_another() -> None:
    said = added(LIGHTHOUSE, "Modal Dilution")
    assert "it may have been on 14 June" in said
    assert said.endswith("and that it cannot have been on 14 June 1871.")


def test_undated_twin_for_a_person_states_the_asked_fact_with_another_person() -> None:
    said = added(ACTRESS, "Undated Twin Versions")
    assert said.endswith("plays the innkeeper in the Long Winter.")
    assert "Delmar" not in said


def test_dual_dates_without_a_date_declines_with_a_reason() -> None:
    made = pull(ACTRESS, LEVERS["Dual-authoritative Dates"]).made
    assert isinstance(made, Declined)
    assert made.reason is DeclineReason.ANSWER_TYPE


def test_fringe_source_for_a_place_marks_the_rival_as_hearsay() -> None:
    said = added(TOWN, "Fringe vs. Official Source")
    assert "anonymous" in said
    assert "Halden" not in said


def test_order_of_magnitude_for_a_count_is_a_hundred_times_as_much() -> None:
    base = single(
        "How many steps lead to the chapel of Arn?",
        ("140 steps",),
        "The chapel of Arn stands on a rock. In all, 140 steps lead to the chapel. Pilgrims climb them in May.",
    )
    assert "14,000 steps lead to the chapel of Arn" in added(base, "Order-of-Magnitude Numeric Clash")


def test_universals_for_a_yes_or_no_question_state_both_polarities() -> None:
    said = added(POLAR, "Contradictory Universals")
    assert "Lake Arn and Lake Bel are both in Austria" in said
    assert "Lake Arn and Lake Bel are not both in Austria" in said


def test_temporal_sequence_for_a_choice_names_the_other_one_first() -> None:
    base = single(
        "Which was founded first, Orrin College or Selby Hall?",
        ("Orrin College",),
        "Orrin College was founded in 1804. Selby Hall was founded in 1851. Both are built of brick.",
    )
    assert "it was Selby Hall that was founded first, and not Orrin College" in added(
        base, "Temporal Sequence Reversal"
    )


def test_agent_patient_for_two_persons_exchanges_them() -> None:
    base = single(
        "Who hired Robert Marsh?",
        ("Helen Bright",),
        "Helen Bright hired Robert Marsh in 1998. The agency had three desks.",
    )
    assert "it was Robert Marsh who hired Helen Bright" in added(base, "Agent/Patient Role Reversal")


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
