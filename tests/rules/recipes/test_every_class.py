"""What holds for the recipes of every class: clean drafts, one per seed, and enough of them in every stratum."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation, Stratum
from demur.levers.lever_models import Lever, Style
from demur.levers.vocabulary import STRATA, Intensity, LeverClass, Origin
from demur.programs.checks.changes import Outcome
from demur.programs.checks.run import check, check_example
from demur.rules.operators.registry import Declined, Draft, Pull, find_operator, frame_faults
from demur.rules.rivals import Corpus
from demur.text.analysis import analyse
from tests.text.bases import CORPORA, MADE, bases_of

CLASSES = tuple(LeverClass)
CORPUS = Corpus.of(MADE)
"""The made base instances, from which recipes take other values and passages."""

LEFT_TO_MODELS = {(LeverClass.CONTRADICTION, Intensity.HIGH)}
"""Strata without a recipe."""


@cache
def levers_of(lever_class: LeverClass) -> dict[str, Lever]:
    return {lever.name: lever for lever in load_catalogue() if lever.lever_class is lever_class}


def pulled(lever_class: LeverClass, base: BaseInstance, seed: int = 1) -> Iterator[tuple[Lever, Draft | Declined]]:
    """Pull every lever of a class that has a recipe, with seeds that count up and the two styles in turn."""
    with_recipe = [lever for lever in levers_of(lever_class).values() if lever.recipe]
    for number, lever in enumerate(with_recipe, seed):
        pull = Pull(analyse(base), lever, list(Style)[number % 2], random.Random(number), CORPUS)
        yield lever, find_operator(str(lever.recipe))(pull)


def failures(base: BaseInstance, lever: Lever, draft: Draft) -> list[str]:
    """Return what the code checks have against a draft."""
    changed = tuple(ChangedPassage(index=index, text=text) for index, text in draft.changed.items())
    perturbation = Perturbation(question=draft.question, changed=changed, lever=lever.name)
    stratum = Stratum(lever_class=lever.lever_class, intensity=lever.intensity)
    results = check(base, perturbation, lever, stratum)
    return [f"{lever.name}: {result.evidence}" for result in results if result.outcome is Outcome.FAIL]


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
    drafts = [(base, *one) for base in MADE for one in pulled(lever_class, base)]
    assert [f for base, lever, made in drafts if isinstance(made, Draft) for f in failures(base, lever, made)] == []


@settings(max_examples=30, deadline=None)
@given(lever_class=st.sampled_from(CLASSES), seed=st.integers(0, 10_000), base=st.sampled_from(MADE))
def test_recipes_with_one_seed_make_one_draft(lever_class: LeverClass, seed: int, base: BaseInstance) -> None:
    assert list(pulled(lever_class, base, seed)) == list(pulled(lever_class, base, seed))


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
    taken = Counter(
        intensity
        for number, base in enumerate(bases)
        for intensity in {
            lever.intensity
            for lever, made in pulled(lever_class, base, number)
            if isinstance(made, Draft) and not failures(base, lever, made)
        }
    )
    wanted = [i for i in Intensity if (lever_class, i) not in THIN]
    assert {i: taken[i] / len(bases) for i in wanted if taken[i] / len(bases) < 0.10} == {}
