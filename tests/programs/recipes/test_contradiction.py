"""Recipes of P-Contradiction: what they add, where they add it, and what they leave alone."""

import random
import re

import pytest

from demur.levers.vocabulary import Layout, LeverClass
from demur.programs.instances import BaseInstance
from demur.programs.rules.edits.rival_people import is_mans_name, other_people
from demur.programs.rules.edits.rival_values import rival_value
from demur.programs.rules.recipes.registry import DeclineReason
from demur.programs.text import analyse
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
    assert said.endswith("plays the innkeeper in The Long Winter.")
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


def test_recipes_on_a_question_that_strings_sentences_together_state_no_fact_twice() -> None:
    base = single(
        "Elm Beck is a stream in Arn, the late mayor of Arn was Olaf Tarn, who died in which year?",
        ("1931",),
        "Elm Beck is a stream in Arn. Olaf Tarn was mayor of Arn and died in 1931.",
    )
    assert RECIPES.declined(base, "Fringe vs. Official Source") is DeclineReason.QUESTION_NOT_PARSED


def test_answer_that_is_a_bare_verb_is_stated_as_an_infinitive() -> None:
    base = single(
        "What is the job of the warden of Tarn?",
        ("carry out inspections",),
        "The warden of Tarn has one duty. It is to carry out inspections of the mill.",
    )
    assert "the job of the warden of Tarn is to carry out inspections" in added(base, "Must vs. Cannot Rule").replace(
        "must be", "is"
    )


def test_title_that_only_the_question_writes_gets_its_capitals_in_a_passage() -> None:
    base = single(
        "who plays the innkeeper in the film salt harvest",
        ("Rosa Ann Delmar",),
        "Rosa Ann Delmar was born in 1961. She plays the innkeeper in it and sings.",
    )
    assert "Salt Harvest" in added(base, "Fringe vs. Official Source")


@pytest.mark.parametrize(("question", "woman"), [("who played his mother", True), ("who played her husband", False)])
def test_rival_for_a_person_has_the_sex_that_the_question_tells(question: str, woman: bool) -> None:
    name = other_people("Dakota Finch", question, random.Random(3), several=False)
    assert is_mans_name(name) is not woman


def test_season_over_the_turn_of_a_year_moves_as_a_whole() -> None:
    base = single(
        "When was the second league of Arn founded?",
        ("1979–80",),
        "The second league of Arn was founded in the 1979–80 season. It has ten teams.",
    )
    spans = re.findall(r"(\d{4})–(\d\d)\b", added(base, "Undated Twin Versions"))
    assert spans
    assert all((int(first) + 1) % 100 == int(last) for first, last in spans)


LIST = single(
    "who sings on the harbour tapes",
    ("Anna Sorel", "Rosa Delmar", "Hugh Penrose"),
    "The Harbour Tapes is an album. Anna Sorel, Rosa Delmar and Hugh Penrose sing on it. It came out in 2009.",
)


def test_every_recipe_about_the_fact_declines_where_the_answer_is_a_list() -> None:
    assert RECIPES.declined(LIST, "Binary State Flip") is DeclineReason.ANSWER_TYPE
    assert RECIPES.declined(LIST, "Attributive vs. Predicative Conflict") is DeclineReason.ANSWER_TYPE


def test_biconditional_ties_the_fact_to_another_statement_of_the_passage() -> None:
    said = added(ACTRESS, "Logical Biconditional Break")
    assert " if and only if " in said
    other = said.split(" if and only if ")[1].split(".")[0]
    assert other.lower() in ACTRESS.passages[0].text.lower()
    assert "the latter is the case" in said.lower()


@pytest.mark.parametrize("opened", [1871, 2007, 2019, 2031])
def test_timing_drift_names_times_that_no_calendar_belies(opened: int) -> None:
    text = f"The Tarn bridge is a bridge. It opened in {opened}."
    late = single("When did the Tarn bridge open?", (str(opened),), text)
    for seed in range(6):
        said = added(late, "Source-Timing Drift", seed)
        assert re.search(r"(?i)one printing of .* while the printing made \w+ years later", said)
        told = [int(year) for year in re.findall(r"\b\d{4}\b", said)]
        assert len(told) == 2 and max(told) == opened


@pytest.mark.parametrize("opened", [1971, 2007, 2019, 2031])
def test_rival_date_is_no_later_than_the_last_year_that_the_text_tells(opened: int) -> None:
    text = f"The Tarn bridge opened in {opened}."
    base = single("When did the Tarn bridge open?", (str(opened),), text)
    told_later = single(base.question, base.answers, f"{text} It was widened in {opened + 20}.")
    alone = {rival_value(analyse(base), None, random.Random(seed)) for seed in range(40)}
    within = {rival_value(analyse(told_later), None, random.Random(seed)) for seed in range(40)}
    assert {int(str(year)) - opened for year in alone} == {-9, -7, -6}
    assert {int(str(year)) - opened for year in within} == {-9, -7, -6, 6, 7, 9}


def test_errata_on_a_yes_or_no_says_the_denial_once() -> None:
    said = added(POLAR, "Errata that Cancel Each Other")
    first = said.split(".")[0]
    assert "but that" not in first and "in truth" not in first


def test_downstream_effect_in_a_noise_passage_leans_on_nothing_before_it() -> None:
    assert "as a result" not in added(TOWN, "Contradiction via Downstream Effect").lower()


def test_printings_of_what_holds_at_present_are_not_set_against_each_other() -> None:
    chair = single(
        "Who is the chair of the council of Tarn?",
        ("Anna Sorel",),
        "The chair of the council of Tarn is Anna Sorel. The council has nine members and meets in Roslin Hall.",
    )
    assert RECIPES.declined(chair, "Source-Timing Drift") is DeclineReason.ANSWER_TYPE


def test_rival_of_an_olympic_year_is_four_or_eight_years_away() -> None:
    medal = single(
        "When did Anna Sorel win an Olympic medal?",
        ("1960",),
        "Anna Sorel is a rower from Tarn. She won an Olympic medal in 1960 and taught at a school in Halden later on.",
    )
    for seed in range(8):
        year = re.search(r"may have been in (\d{4})", added(medal, "Modal Dilution", seed))
        assert year is not None
        assert int(year[1]) % 4 == 0


def test_nobody_invented_is_set_beside_a_person_of_long_ago() -> None:
    conquest = single(
        "Who led the conquest of Tarn?",
        ("Diego Ortuno",),
        "The conquest of Tarn lasted from 1532 to 1536. Diego Ortuno led it with two hundred soldiers.",
    )
    assert RECIPES.declined(conquest, "Undated Twin Versions") is DeclineReason.ANSWER_TYPE


def test_description_that_fits_several_people_names_no_second_one() -> None:
    case = single(
        "Who was involved in the Tarn case?",
        ("Anna Sorel",),
        "The Tarn case was heard in 1961. Anna Sorel was involved in it, as she owned the boat.",
    )
    assert RECIPES.declined(case, "Attributive vs. Predicative Conflict") is DeclineReason.ANSWER_TYPE
