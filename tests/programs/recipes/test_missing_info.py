"""Recipes of P-MissingInfo: what is gone, what is left, and that the question stays as it was."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levers.load import load_catalogue
from levers.vocabulary import Intensity, LeverClass, Origin
from programs.checks.examples import check_example
from programs.checks.results import Outcome
from programs.instances import BaseInstance
from programs.rules.analysis.answers import find_answers
from programs.rules.analysis.questions import content_words
from programs.rules.edits.style import Style
from programs.rules.recipes.missing_info.off_topic import OFF_TOPIC
from programs.rules.recipes.registry import Declined, DeclineReason, Draft
from tests.programs.recipes.drafts import Pulled, pull
from tests.programs.rules.bases import ACTRESS, ALL, COUNT, LIGHTHOUSE, POLAR, TOWN, dev_set, single

CLASS = LeverClass.MISSING_INFO
LEVERS = {lever.name: lever for lever in load_catalogue() if lever.lever_class is CLASS}
SONG = single(
    "who wrote the song harbour lights",
    ("Ned Corbin",),
    "Harbour Lights is a song written by Ned Corbin. It was first sung in 1952 by the Dale Sisters. The record, which "
    "was made in Leeds, England, sold 30,000 copies.",
)
DAM = single(
    "Why did the Norby dam fail?",
    ("badger tunnels",),
    "The Norby dam was built of earth. It failed because of badger tunnels. The water reached the church of Norby.",
)
MADE = (*ALL, SONG, DAM)


def pulls(base: BaseInstance, seed: int = 1) -> list[Pulled]:
    ready = [lever for lever in LEVERS.values() if lever.recipe]
    return [pull(base, lever, seed + n, list(Style)[(seed + n) % 2]) for n, lever in enumerate(ready)]


def made(base: BaseInstance, name: str, seed: int = 1, style: Style = Style.TERSE) -> str:
    draft = pull(base, LEVERS[name], seed, style).made
    assert isinstance(draft, Draft), draft
    return " ".join(draft.changed[i] for i in sorted(draft.changed))


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


def test_every_recipe_leaves_the_question_alone_and_changes_a_passage() -> None:
    for base in MADE:
        for pulled in pulls(base):
            if isinstance(pulled.made, Draft):
                assert pulled.made.question == base.question
                assert any(text != base.passages[i].text for i, text in pulled.made.changed.items())


def test_medium_and_high_leave_no_answer_in_any_passage_noise_included() -> None:
    for base in MADE:
        for pulled in pulls(base):
            if isinstance(pulled.made, Draft) and pulled.lever.intensity is not Intensity.LOW:
                texts = [pulled.made.changed.get(p.index, p.text) for p in base.passages]
                assert not any(find_answers(t, base.answers) for t in texts), pulled.lever.name


def test_low_keeps_the_sentence_that_answers() -> None:
    for base in (LIGHTHOUSE, ACTRESS, COUNT, SONG):
        for pulled in pulls(base):
            if isinstance(pulled.made, Draft) and pulled.lever.intensity is Intensity.LOW:
                assert find_answers(pulled.made.changed[0], base.answers), pulled.lever.name


def test_no_recipe_leaves_scars_of_a_cut() -> None:
    for base in MADE:
        for pulled in pulls(base):
            if isinstance(pulled.made, Draft):
                for text in pulled.made.changed.values():
                    assert not any(scar in text for scar in ("  ", " ,", " .", ",,", "..", "()", "the a ", "a the "))


def test_temporal_adjunct_goes_with_its_preposition() -> None:
    assert "It was built by the engineer Ellen Marsh" in made(LIGHTHOUSE, "Missing Temporal Adjunct")


def test_temporal_adjunct_on_a_person_declines_with_the_answer_type() -> None:
    assert declined(ACTRESS, "Missing Temporal Adjunct") is DeclineReason.ANSWER_TYPE


def test_placeholder_takes_the_noun_of_the_question_and_covers_the_surname() -> None:
    text = made(ACTRESS, "Placeholder Entity Substitution")
    assert "performer plays the innkeeper" in text
    assert "The performer won an award" in text
    assert "Delmar" not in text


def test_price_redacted_keeps_the_thing_counted() -> None:
    assert "holds an unstated number of bells" in made(COUNT, "Price Redacted")


def test_agent_deletion_cuts_the_phrase_with_by() -> None:
    assert made(SONG, "Agent Deletion").startswith("Harbour Lights is a song written. It")


def test_cause_omission_ends_the_sentence_before_the_cause() -> None:
    assert "It failed. The water" in made(DAM, "Cause Omission")


def test_answer_clause_excised_cuts_what_leans_on_the_sentence() -> None:
    text = made(LIGHTHOUSE, "Answer Clause Excised")
    assert "1871" not in text
    assert text.startswith(
        "The Corran lighthouse is a white tower on the island of Corran. The tower is 32 metres tall"
    )


def test_chunk_breaks_off_before_the_answer_without_a_stop() -> None:
    assert made(LIGHTHOUSE, "Chunk Cut before the Answer").endswith("It was built on")


def test_table_gap_shows_what_was_asked_and_no_value() -> None:
    text = made(ACTRESS, "Table Gap")
    assert "\nPerson who plays the innkeeper in the Long Winter | " in text


def test_audio_reference_asks_the_question_indirectly() -> None:
    text = made(ACTRESS, "Audio-only Reference").lower()
    assert "who plays the innkeeper in the long winter" in text


def test_all_names_redacted_uses_one_mark() -> None:
    text = made(ACTRESS, "All Names Redacted")
    assert text.count("[redacted]") + text.count("[removed]") >= 4
    assert "Penrose" not in text


def test_all_names_redacted_for_a_number_declines() -> None:
    assert declined(COUNT, "All Names Redacted") is DeclineReason.ANSWER_TYPE


def test_irrelevant_context_shares_no_content_word_with_the_question() -> None:
    for base in (LIGHTHOUSE, ACTRESS, COUNT, SONG):
        assert not content_words(made(base, "Entirely Irrelevant Context")) & content_words(base.question)


def test_irrelevant_context_with_several_passages_replaces_signal_and_answering_noise_only() -> None:
    draft = pull(TOWN, LEVERS["Entirely Irrelevant Context"]).made
    assert isinstance(draft, Draft)
    assert set(draft.changed) == {0, 2, 3}
    assert len({text.split(".")[0] for text in draft.changed.values()}) == 3


def test_noise_that_gives_the_answer_is_cleared_as_well() -> None:
    draft = pull(TOWN, LEVERS["Damaged Deciding Token"]).made
    assert isinstance(draft, Draft)
    assert set(draft.changed) == {2, 3}


def test_yes_or_no_question_declines_what_needs_a_mention() -> None:
    assert declined(POLAR, "Damaged Deciding Token") is DeclineReason.NO_ANSWER_IN_PASSAGES


def test_low_cut_of_a_bridge_between_passages_is_refused() -> None:
    for seed in range(6):
        for name, lever in LEVERS.items():
            if lever.intensity is Intensity.LOW:
                draft = pull(TOWN, LEVERS[name], seed).made
                if isinstance(draft, Draft):
                    assert "Brightwater Press was founded by Mara Lindqvist" in draft.changed.get(
                        0, TOWN.passages[0].text
                    )
                    assert "Mara Lindqvist" in draft.changed.get(2, TOWN.passages[2].text)


def test_off_topic_texts_are_long_enough_to_stand_for_a_passage() -> None:
    assert len(OFF_TOPIC) >= 12
    assert all(len(lines) >= 5 and all(line.endswith(".") for line in lines) for lines in OFF_TOPIC.values())


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(MADE))
def test_every_recipe_is_deterministic_in_its_seed(seed: int, base: BaseInstance) -> None:
    assert [p.made for p in pulls(base, seed)] == [p.made for p in pulls(base, seed)]


@pytest.mark.parametrize(("name", "least"), [("single_doc_dev.jsonl", 0.85), ("multi_doc_dev.jsonl", 0.75)])
def test_every_fourth_real_base_yields_a_clean_draft_in_each_stratum(name: str, least: float) -> None:
    bases = dev_set(name)[::4]
    drawn: Counter[Intensity] = Counter()
    for base in bases:
        clean = {p.lever.intensity for p in pulls(base) if isinstance(p.made, Draft) and not p.failures}
        drawn.update(clean)
    assert {i: drawn[i] / len(bases) >= least for i in Intensity} == dict.fromkeys(Intensity, True)
