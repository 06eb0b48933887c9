"""All code checks on one perturbation; what it takes several to see stands in programs.checks.duplicates."""

from collections.abc import Collection

from demur.levers.instances import BaseInstance, Perturbation, Stratum
from demur.levers.models import Lever
from demur.levers.vocabulary import LeverClass
from demur.programs.checks.answers import answer_check
from demur.programs.checks.diff import compare
from demur.programs.checks.results import CheckResult, Outcome
from demur.programs.checks.target import lever_in_stratum, passages_untouched, something_changed, target_only
from demur.programs.checks.text import length_and_language, no_leak
from demur.text.analysis import analyse


def check(
    base: BaseInstance,
    perturbation: Perturbation,
    lever: Lever | None,
    stratum: Stratum,
    *,
    offered: Collection[str] | None = None,
) -> tuple[CheckResult, ...]:
    """Return the results of all checks that apply, whoever generated the perturbation.

    `lever` is the catalogue's lever of the name that the perturbation gives, None when the catalogue has none; then
    what depends on the lever is not checked beyond that failure. `offered` are the ids of the levers that the generator
    was given, None where it was not limited to any.
    """
    analysis = analyse(base)
    found = compare(base, perturbation)
    results = [lever_in_stratum(perturbation, lever, stratum, offered), something_changed(found)]
    if lever is not None:
        results.append(target_only(base, analysis, found, lever))
    if stratum.lever_class is LeverClass.FALSE_PREMISE:
        results.append(passages_untouched(found))
    if lever is not None:
        results.append(answer_check(base, analysis, found, lever))
    results += [no_leak(found, lever), length_and_language(found)]
    return tuple(results)


def failures(results: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
    """Return the results that failed."""
    return tuple(r for r in results if r.outcome is Outcome.FAIL)
