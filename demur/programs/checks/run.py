"""All code checks of one perturbation, and of a lever's worked examples.

The checks know no language: what a changed text means is for verifiers to judge. Duplicates are in
`programs.checks.duplicates`.
"""

from collections.abc import Collection

from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation, Stratum
from demur.levers.lever_models import Example, Lever
from demur.levers.vocabulary import ENGLISH, LeverClass
from demur.programs.checks.added_text import length_and_language, no_leak
from demur.programs.checks.changes import (
    CheckResult,
    Outcome,
    compare,
    lever_in_stratum,
    passages_untouched,
    something_changed,
    target_only,
)


def check(
    base: BaseInstance,
    perturbation: Perturbation,
    lever: Lever | None,
    stratum: Stratum,
    *,
    offered: Collection[str] | None = None,
) -> tuple[CheckResult, ...]:
    """Return the results of all checks that apply to a perturbation.

    `lever` is the lever that the perturbation names, or None if the catalogue has no such lever. If `lever` is None,
    checks that depend on a lever are left out. `offered` are the ids of the levers that the generator was offered. If
    `offered` is None, any lever is allowed.
    """
    found = compare(base, perturbation)
    results = [lever_in_stratum(perturbation, lever, stratum, offered), something_changed(found)]
    if lever is not None:
        results.append(target_only(base, found, lever))
    if stratum.lever_class is LeverClass.FALSE_PREMISE:
        results.append(passages_untouched(found))
    results += [no_leak(found, lever), length_and_language(found)]
    return tuple(results)


def failures(results: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
    """Return the failed results."""
    return tuple(r for r in results if r.outcome is Outcome.FAIL)


def example_as_instance(example: Example, lever: Lever) -> tuple[BaseInstance, Perturbation]:
    """Return a worked example as a base instance and a perturbation.

    The language of the base instance is English if the lever allows English; otherwise it is the lever's first
    language.
    """
    base = BaseInstance(
        question=example.question,
        answers=example.answers,
        passages=tuple(Passage(index=i, text=p.text, relevant=p.relevant) for i, p in enumerate(example.passages)),
        language=ENGLISH if not lever.languages or ENGLISH in lever.languages else lever.languages[0],
    )
    changed = tuple(ChangedPassage(index=i, text=text) for i, text in sorted(example.change.passages.items()))
    question = example.change.question or example.question
    return base, Perturbation(question=question, changed=changed, lever=lever.name)


def check_example(example: Example, lever: Lever) -> tuple[CheckResult, ...]:
    """Return the results of all code checks of a worked example."""
    base, perturbation = example_as_instance(example, lever)
    return check(base, perturbation, lever, Stratum(lever_class=lever.lever_class, intensity=lever.intensity))
