"""Recipes of P-Contradiction: what they add, where they add it, and what they leave alone."""

from levers.vocabulary import Layout, LeverClass
from programs.instances import BaseInstance
from programs.rules.recipes.registry import DeclineReason
from tests.programs.recipes.drafts import Recipes
from tests.programs.rules.bases import ACTRESS, ALL, LIGHTHOUSE, POLAR, TOWN, single

RECIPES = Recipes(LeverClass.CONTRADICTION)


def added(base: BaseInstance, name: str, seed: int = 1) -> str:
    made = RECIPES.draft(base, name, seed)
    ((index, text),) = made.changed.items()
    old = base.passages[index].text
    assert text.startswith(old)
    return text.removeprefix(old).strip()


def test_every_recipe_leaves_the_question_and_all_passages_but_one_alone() -> None:
    for base in ALL:
        for _, draft in RECIPES.drafts(base):
            assert draft.question == base.question
            ((index, text),) = draft.changed.items()
            assert text.startswith(base.passages[index].text)
            assert base.layout is Layout.SINGLE or not base.passages[index].relevant


def test_modal_dilution_for_a_date_excludes_the_answer_and_admits_another() -> None:
    said = added(LIGHTHOUSE, "Modal Dilution")
    assert "it may have been on 14 June" in said
    assert said.endswith("and that it cannot have been on 14 June 1871.")


def test_undated_twin_for_a_person_states_the_asked_fact_with_another_person() -> None:
    said = added(ACTRESS, "Undated Twin Versions")
    assert said.endswith("plays the innkeeper in the Long Winter.")
    assert "Delmar" not in said


def test_dual_dates_without_a_date_declines_with_a_reason() -> None:
    assert RECIPES.declined(ACTRESS, "Dual-authoritative Dates") is DeclineReason.ANSWER_TYPE


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
