"""Recipes of P-GranularityMismatch: the level that is asked for, and what stays as it was."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levers.load import load_catalogue
from levers.vocabulary import Intensity, LeverClass, Origin, Target
from programs.checks.examples import check_example
from programs.checks.results import Outcome
from programs.instances import BaseInstance
from programs.rules.analysis.analysis import analyse
from programs.rules.recipes.registry import Declined, DeclineReason, Draft
from tests.programs.recipes.drafts import executable, pull, pull_all
from tests.programs.rules.bases import ACTRESS, ALL, COUNT, LIGHTHOUSE, TOWN, dev_set, several, single

CLASS = LeverClass.GRANULARITY
LEVERS = {lever.name: lever for lever in load_catalogue() if lever.lever_class is CLASS}


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


def test_every_recipe_changes_its_target_and_no_noise_passage() -> None:
    for base in ALL:
        signal = {p.index for p in base.passages if p.relevant}
        for pulled in pull_all(base, CLASS):
            if isinstance(pulled.made, Draft):
                asked_anew = pulled.made.question != base.question
                assert asked_anew == (pulled.lever.target is not Target.CONTEXT)
                assert set(pulled.made.changed) == (set() if pulled.lever.target is Target.QUERY else signal)


def test_medium_and_low_recipes_keep_every_sentence_of_the_passages() -> None:
    for base in ALL:
        for pulled in pull_all(base, CLASS):
            if isinstance(pulled.made, Draft):
                for index, text in pulled.made.changed.items():
                    for sentence in analyse(base).passages[index].sentences:
                        assert sentence.text in text or pulled.lever.name == "Inline Unit Conversion"


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), number=st.integers(0, len(ALL) - 1))
def test_recipes_with_one_seed_make_one_draft(seed: int, number: int) -> None:
    for lever in executable(CLASS):
        assert pull(ALL[number], lever, seed).made == pull(ALL[number], lever, seed).made


def test_total_line_states_the_answer_as_a_total() -> None:
    made = draft(COUNT, "Explicit Total Line")
    assert made.question == "how many bells hang in the tower of saint orla in total"
    assert made.changed[0].endswith("Total: seven.")


def test_finest_precision_for_a_day_asks_for_the_date() -> None:
    assert (
        draft(LIGHTHOUSE, "Minute Precision Present").question == "On what exact date was the Corran lighthouse built?"
    )


def test_finest_precision_without_date_or_figure_declines() -> None:
    made = pull(ACTRESS, LEVERS["Minute Precision Present"]).made
    assert isinstance(made, Declined)
    assert made.reason is DeclineReason.ANSWER_TYPE


def test_unit_conversion_puts_the_converted_value_in_brackets() -> None:
    base = single(
        "How long is the Harrow tunnel?", ("12 km",), "The Harrow tunnel is 12 km long. It was bored by hand."
    )
    made = draft(base, "Inline Unit Conversion")
    assert "12 km (about 7.5 miles) long" in made.changed[0]
    assert made.question == "How long is the Harrow tunnel in km?"


def test_genus_for_species_leaves_names_alone() -> None:
    base = single(
        "Who owns the Salt River Song Book?", ("Ada Finch",), "The Salt River Song Book is owned by Ada Finch."
    )
    made = pull(base, LEVERS["Genus-to-Species Mismatch"]).made
    assert isinstance(made, Declined)


def test_genus_for_species_agrees_with_its_article() -> None:
    base = single(
        "Who painted a ship on the inn sign?", ("Ada Finch",), "Ada Finch painted a ship on the sign of the inn."
    )
    assert draft(base, "Genus-to-Species Mismatch").question == "Who painted a vessel on the inn sign?"


def test_universal_rule_keeps_to_the_matter_that_was_asked() -> None:
    assert "cast in the same way as the long winter" in draft(ACTRESS, "Single-Instance to Universal Rule").question


def test_part_of_part_for_a_year_asks_for_the_minute_and_says_that_only_the_year_is_known() -> None:
    base = single(
        "when was the salter mill closed", ("1957",), "The Salter Mill ground rye. The Salter Mill was closed in 1957."
    )
    made = draft(base, "Part-of-part Detail")
    assert made.question == "to the nearest minute, when was the salter mill closed"
    assert "only the year" in made.changed[0].lower()


def test_merged_cell_names_the_figure_and_asks_for_the_share() -> None:
    base = single(
        "When was the Ostrow Chess Club founded?",
        ("1902",),
        "The Ostrow Chess Club was founded in 1902. The Ostrow Chess Club has 214 members and a clubhouse.",
    )
    made = draft(base, "Merged Cell over Two Rows")
    assert "214 members" in made.question
    assert "one cell merged over two rows" in made.changed[0]


def test_breakdown_is_cut_off_at_the_end_of_the_passage() -> None:
    assert draft(ACTRESS, "Breakdown Cut by the Chunk End").changed[0].endswith(": [...]")


def test_remarks_in_several_passages_speak_of_each_passages_own_subject() -> None:
    base = several(
        "Who directed the film Ice Harbour?",
        ("Nora Vance",),
        ("Ice Harbour is a film of 1961. It was shot at sea.", True),
        ("Nora Vance was a Swedish director. Nora Vance directed the film Ice Harbour.", True),
    )
    changed = draft(base, "Single-Instance to Universal Rule").changed
    added = [changed[i].removeprefix(p.text) for i, p in enumerate(base.passages)]
    assert len(set(added)) == 2
    assert "Ice Harbour" in added[0]
    assert "Nora Vance" in added[1]


def test_millisecond_for_a_when_question_keeps_the_rest_of_it() -> None:
    made = draft(LIGHTHOUSE, "Century vs. Millisecond")
    assert made.question == "In exactly which millisecond was the Corran lighthouse built?"
    assert made.changed == {}


def test_genome_for_a_thing_declines() -> None:
    made = pull(LIGHTHOUSE, LEVERS["Genome Detail from Species Count"]).made
    assert isinstance(made, Declined)
    assert made.reason is DeclineReason.NO_TOPIC


def test_high_recipes_keep_the_subject_in_the_question() -> None:
    for name in ("Particle Census of a Named Thing", "Deep Time from One Snapshot", "Molecular vs. Organism"):
        assert "Brightwater Press" in draft(TOWN, name).question


@pytest.mark.parametrize(("name", "least"), [("single_doc_dev.jsonl", 0.75), ("multi_doc_dev.jsonl", 0.75)])
def test_strata_on_development_sets_are_covered(name: str, least: float) -> None:
    bases = dev_set(name)[::7]
    reached: Counter[Intensity] = Counter()
    for number, base in enumerate(bases):
        reached.update(
            {p.lever.intensity for p in pull_all(base, CLASS, number) if isinstance(p.made, Draft) and not p.failures}
        )
    assert {i: reached[i] / len(bases) for i in Intensity if reached[i] / len(bases) < least} == {}
