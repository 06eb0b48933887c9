"""All checks of a draft of a recipe, and of a lever's worked examples: those of models' texts, and those by rule."""

from demur.levers.instances import BaseInstance, Perturbation, Stratum
from demur.levers.models import Example, Lever
from demur.levers.vocabulary import Layout
from demur.programs.checks.diff import added_spans, compare
from demur.programs.checks.results import CheckName, CheckResult, Outcome, failed
from demur.programs.checks.run import check, example_as_instance
from demur.rules.checks.answers import answer_check
from demur.rules.checks.strategy import strategy_fault
from demur.rules.checks.wording import length_and_language
from demur.text.analysis import analyse


def check_draft(
    base: BaseInstance, perturbation: Perturbation, lever: Lever, stratum: Stratum
) -> tuple[CheckResult, ...]:
    """Return the results of all checks of a perturbation that a recipe made."""
    analysis = analyse(base)
    found = compare(base, perturbation)
    results = list(check(base, perturbation, lever, stratum))
    if base.layout is Layout.MULTI:
        fault = strategy_fault(analysis, found, lever.lever_class, lever.intensity)
        for number, result in enumerate(results):
            if fault and result.name is CheckName.TARGET_ONLY and result.outcome is Outcome.PASS:
                results[number] = failed(CheckName.TARGET_ONLY, fault, added_spans(found))
    return (*results, answer_check(base, analysis, found, lever), length_and_language(found))


def check_example(example: Example, lever: Lever) -> tuple[CheckResult, ...]:
    """Return the results of all code checks of a worked example."""
    base, perturbation = example_as_instance(example, lever)
    return check_draft(base, perturbation, lever, Stratum(lever_class=lever.lever_class, intensity=lever.intensity))
