"""Recipes of P-Ambiguity: what is left open, where, and that LOW leaves nothing open for long."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levers.load import load_catalogue
from levers.vocabulary import Intensity, LeverClass, Origin, Target
from programs.checks.examples import check_example
from programs.checks.results import Outcome
from programs.instances import BaseInstance
from programs.rules.analysis.answers import find_answers
from programs.rules.edits.style import Style
from programs.rules.recipes.ambiguity.asides import respelt
from programs.rules.recipes.registry import Declined, DeclineReason, Draft
from tests.programs.recipes.drafts import Pulled, pull
from tests.programs.rules.bases import ACTRESS, ALL, COUNT, LIGHTHOUSE, POLAR, TOWN, dev_set, single

CLASS = LeverClass.AMBIGUITY
LEVERS = {lever.name: lever for lever in load_catalogue() if lever.lever_class is CLASS}
PRIZE = single(
    "Who won the Garton Plate in 1931?",
    ("Anna Sorel",),
    "The Garton Plate is a rowing race on the river Tam. Anna Sorel won it in 1931 by two lengths. It was stopped "
    "in 1940. Emma Perrin and Laura Tate rowed in the same year, and Emma Perrin later wrote a book about it.",
)
MADE = (*ALL, PRIZE)


def pulls(base: BaseInstance, seed: int = 1) -> list[Pulled]:
    ready = [lever for lever in LEVERS.values() if lever.recipe]
    return [pull(base, lever, seed + n, list(Style)[(seed + n) % 2]) for n, lever in enumerate(ready)]


def made(base: BaseInstance, name: str, seed: int = 1, style: Style = Style.TERSE) -> Draft:
    draft = pull(base, LEVERS[name], seed, style).made
    assert isinstance(draft, Draft), draft
    return draft


def declined(base: BaseInstance, name: str) -> DeclineReason:
    draft = pull(base, LEVERS[name]).made
    assert isinstance(draft, Declined)
    return draft.reason


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
    assert [f for base in MADE for pulled in pulls(base) for f in pulled.failures] == []


def test_every_recipe_changes_either_the_question_or_passages() -> None:
    for base in MADE:
        for pulled in pulls(base):
            if isinstance(pulled.made, Draft):
                asked, told = pulled.made.question != base.question, bool(pulled.made.changed)
                assert asked != told, pulled.lever.name
                assert pulled.lever.target is not (Target.CONTEXT if asked else Target.QUERY)


def test_every_changed_question_keeps_the_register() -> None:
    for base in MADE:
        lower = base.question == base.question.lower()
        for pulled in pulls(base):
            if isinstance(pulled.made, Draft) and pulled.made.question != base.question:
                text = pulled.made.question
                assert (text == text.lower()) is lower or pulled.lever.name == "Collapsed Search Query"


def test_context_levers_with_several_passages_change_every_answering_signal_passage_and_no_noise() -> None:
    for pulled in pulls(TOWN):
        if isinstance(pulled.made, Draft) and pulled.made.changed:
            assert set(pulled.made.changed) == {2}, pulled.lever.name


def test_low_keeps_every_word_of_the_passage_and_adds_no_value_of_the_asked_kind() -> None:
    for base in (LIGHTHOUSE, ACTRESS, COUNT, PRIZE):
        for pulled in pulls(base):
            if isinstance(pulled.made, Draft) and pulled.lever.intensity is Intensity.LOW:
                text = pulled.made.changed.get(0, base.passages[0].text)
                assert text.startswith(base.passages[0].text), pulled.lever.name
                assert len(find_answers(text, base.answers)) >= 1


def test_namesake_tells_of_two_bearers_each_with_a_value() -> None:
    text = made(ACTRESS, "Unmarked Namesake").changed[0]
    assert text.startswith("Two films are called The Long Winter")
    assert "Rosa Ann Delmar plays the innkeeper" in text
    assert re.search(r"In the case of the other: [A-Z]\w+ [A-Z]\w+ plays the innkeeper in [Tt]he Long Winter\.$", text)


def test_unstated_edition_names_two_versions() -> None:
    text = made(ACTRESS, "Unstated Edition").changed[0]
    assert "two cuts" in text
    assert "For the other cut:" in text


def test_time_basis_moves_a_date_by_one_unit() -> None:
    opened = single(
        "When was the museum of Tarn opened?",
        ("4 June 1962",),
        "The museum of Tarn was opened on 4 June 1962. It shows nets and oars.",
    )
    text = made(opened, "Unstated Time Basis").changed[0]
    assert "on 4 June 1962" in text
    assert "on 5 June 1962" in text
    assert "local time" in text


def test_sluice_leaves_two_alternatives_of_equal_standing() -> None:
    text = made(LIGHTHOUSE, "Sluiced-Wh Ambiguity").changed[0]
    assert re.search(r"built on either 14 June 1871 or 14 June 1\d{3}", text)


def test_either_or_scope_lines_up_three_names() -> None:
    text = made(PRIZE, "Either/Or Coordination Scope").changed[0]
    assert re.search(r"Anna Sorel (?:and|or) \w+ \w+ (?:or|and) \w+ \w+ won it in 1931", text)


def test_dual_pronoun_names_both_people_and_tells_the_fact_of_neither() -> None:
    text = made(PRIZE, "Dual-eligible Pronoun").changed[0]
    assert "She won it in 1931" in text
    assert text.count("Anna Sorel") == 1


def test_dual_pronoun_for_a_date_declines_with_the_answer_type() -> None:
    assert declined(LIGHTHOUSE, "Dual-eligible Pronoun") is DeclineReason.ANSWER_TYPE


def test_deictic_reference_asks_what_the_passage_offers_more_than_once() -> None:
    assert made(PRIZE, "Ambiguous Deictic Reference").question == "As to the Garton Plate, who was that?"


def test_deictic_reference_with_one_thing_to_point_at_declines() -> None:
    lone = single("When was the Tarn bridge opened?", ("1962",), "The Tarn bridge was opened in 1962. It is long.")
    assert declined(lone, "Ambiguous Deictic Reference") is DeclineReason.NO_SUITABLE_SPAN


def test_collapsed_query_keeps_the_subject_and_drops_what_is_asked() -> None:
    question = made(ACTRESS, "Collapsed Search Query").question
    assert "long winter" in question
    assert "innkeeper" not in question


def test_multi_pronoun_braid_takes_two_people_of_one_gender_from_the_passage() -> None:
    question = made(PRIZE, "Multi-pronoun Braid").question
    assert "Emma Perrin" in question
    assert "Laura Tate" in question
    assert " she " in question


def test_comparative_subdeletion_without_a_comparison_declines() -> None:
    assert declined(ACTRESS, "Comparative Subdeletion") is DeclineReason.QUESTION_NOT_PARSED


def test_namesake_for_a_yes_or_no_question_declines() -> None:
    assert declined(POLAR, "Unmarked Namesake") in (DeclineReason.ANSWER_TYPE, DeclineReason.NO_TOPIC)


@pytest.mark.parametrize(("name", "variant"), [("Philip Rattigan", "Philip Ratigan"), ("Otto", None), ("Ida", None)])
def test_respelt_changes_an_uncommon_word_or_nothing(name: str, variant: str | None) -> None:
    made_of = respelt(name)
    assert made_of == variant or (variant is None and made_of != name)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(MADE))
def test_every_recipe_is_deterministic_in_its_seed(seed: int, base: BaseInstance) -> None:
    assert [p.made for p in pulls(base, seed)] == [p.made for p in pulls(base, seed)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(MADE))
def test_two_styles_of_one_seed_do_not_write_alike_everywhere(seed: int, base: BaseInstance) -> None:
    terse = [pull(base, lever, seed, Style.TERSE).made for lever in LEVERS.values() if lever.recipe]
    fuller = [pull(base, lever, seed, Style.ELABORATE).made for lever in LEVERS.values() if lever.recipe]
    assert terse != fuller


@pytest.mark.parametrize(("name", "least"), [("single_doc_dev.jsonl", 0.85), ("multi_doc_dev.jsonl", 0.75)])
def test_every_fourth_real_base_yields_a_clean_draft_in_each_stratum(name: str, least: float) -> None:
    bases = dev_set(name)[::4]
    drawn: Counter[Intensity] = Counter()
    for base in bases:
        clean = {p.lever.intensity for p in pulls(base) if isinstance(p.made, Draft) and not p.failures}
        drawn.update(clean)
    assert {i: drawn[i] / len(bases) >= least for i in Intensity} == dict.fromkeys(Intensity, True)
