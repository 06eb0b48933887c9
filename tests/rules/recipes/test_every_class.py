"""What holds for the recipes of every class: clean drafts, one per seed, and enough of them in every stratum."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import STRATA, Intensity, LeverClass, Origin
from demur.programs.checks.changes import Outcome
from demur.programs.checks.run import check_example
from demur.rules.operators.registry import frame_faults
from tests.rules.recipes.drafts import Recipes, levers_of
from tests.text.bases import CORPORA, MADE, bases_of

CLASSES = tuple(LeverClass)
LEFT_TO_MODELS = {(LeverClass.CONTRADICTION, Intensity.HIGH)}
"""Strata without a recipe."""


@pytest.mark.parametrize("lever_class", CLASSES)
def test_catalogue_examples_pass_every_code_check(lever_class: LeverClass) -> None:
    faults = [
        (lever.name, result.evidence)
        for lever in levers_of(lever_class).values()
        for example in lever.examples
        for result in check_example(example, lever)
        if result.outcome is Outcome.FAIL
    ]
    assert faults == []


@pytest.mark.parametrize(("lever_class", "intensity"), STRATA)
def test_catalogue_stratum_has_one_of_our_own_and_executable_levers_unless_left_to_models(
    lever_class: LeverClass, intensity: Intensity
) -> None:
    stratum = [lever for lever in levers_of(lever_class).values() if lever.intensity is intensity]
    assert any(lever.recipe is not None for lever in stratum) is ((lever_class, intensity) not in LEFT_TO_MODELS)
    assert any(lever.origin is Origin.DEMUR for lever in stratum)


@pytest.mark.parametrize("lever_class", CLASSES)
def test_every_frame_of_ours_has_slots_that_its_operator_fills(lever_class: LeverClass) -> None:
    assert [fault for lever in levers_of(lever_class).values() for fault in frame_faults(lever)] == []


@pytest.mark.parametrize("lever_class", CLASSES)
def test_every_recipe_on_made_bases_yields_no_failed_check(lever_class: LeverClass) -> None:
    assert [f for base in MADE for pulled in Recipes(lever_class).pull_all(base) for f in pulled.failures] == []


@settings(max_examples=30, deadline=None)
@given(lever_class=st.sampled_from(CLASSES), seed=st.integers(0, 10_000), base=st.sampled_from(MADE))
def test_recipes_with_one_seed_make_one_draft(lever_class: LeverClass, seed: int, base: BaseInstance) -> None:
    recipes = Recipes(lever_class)
    assert [p.made for p in recipes.pull_all(base, seed)] == [p.made for p in recipes.pull_all(base, seed)]


THIN = {
    (LeverClass.AMBIGUITY, Intensity.LOW),
    (LeverClass.AMBIGUITY, Intensity.MEDIUM),
    (LeverClass.CONTRADICTION, Intensity.MEDIUM),
    (LeverClass.CONTRADICTION, Intensity.HIGH),
    (LeverClass.FALSE_PREMISE, Intensity.MEDIUM),
    (LeverClass.FALSE_PREMISE, Intensity.HIGH),
    (LeverClass.GRANULARITY, Intensity.LOW),
    (LeverClass.GRANULARITY, Intensity.MEDIUM),
    (LeverClass.GRANULARITY, Intensity.HIGH),
    (LeverClass.EPISTEMIC, Intensity.HIGH),
}
"""Strata that the rules lane does not fill from a small corpus, as docs/measurements.md says."""


@pytest.mark.parametrize("lever_class", CLASSES)
@pytest.mark.parametrize("name", ["single.jsonl", "multi.jsonl"])
def test_every_stratum_on_embedded_corpora_takes_enough_bases(lever_class: LeverClass, name: str) -> None:
    bases = bases_of(CORPORA / name)
    taken = Counter(i for number, base in enumerate(bases) for i in Recipes(lever_class).reached(base, number))
    wanted = [i for i in Intensity if (lever_class, i) not in THIN]
    assert {i: taken[i] / len(bases) for i in wanted if taken[i] / len(bases) < 0.10} == {}
