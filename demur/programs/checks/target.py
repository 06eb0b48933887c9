"""Checks of which parts a perturbation changed.

Only the lever's target may change, in the way that the lever's class demands.
"""

from collections.abc import Collection

from demur.levers.instances import BaseInstance, Perturbation, Stratum
from demur.levers.models import Lever
from demur.levers.vocabulary import Layout, LeverClass, Target
from demur.programs.checks.diff import InstanceDiff, added_spans
from demur.programs.checks.results import CheckName, CheckResult, failed, passed


def lever_in_stratum(
    perturbation: Perturbation, lever: Lever | None, stratum: Stratum, offered: Collection[str] | None = None
) -> CheckResult:
    """Check that the named lever is in the catalogue, belongs to the stratum, and was offered."""
    name = CheckName.LEVER_IN_STRATUM
    if lever is None:
        return failed(name, f"'{perturbation.lever}' is no lever of the catalogue")
    if perturbation.lever.strip().casefold() != lever.name.casefold():
        return failed(name, f"the perturbation names '{perturbation.lever}', the lever is '{lever.name}'")
    if (lever.lever_class, lever.intensity) != (stratum.lever_class, stratum.intensity):
        return failed(
            name,
            f"'{lever.name}' belongs to {lever.lever_class} {lever.intensity}, "
            f"not to {stratum.lever_class} {stratum.intensity}",
        )
    if offered is not None and lever.id not in offered:
        return failed(name, f"'{lever.name}' ({lever.id}) was not on offer; on offer: {', '.join(sorted(offered))}")
    return passed(name, f"'{lever.name}' belongs to {stratum.lever_class} {stratum.intensity}")


def something_changed(found: InstanceDiff) -> CheckResult:
    """Check that at least one token of the question or a passage changed."""
    name = CheckName.SOMETHING_CHANGED
    if not found.parts:
        return failed(name, "no token of the question or of a passage differs")
    where = ["question"] if found.question_changed else []
    where += [f"passage {i}" for i in found.passages]
    return passed(name, f"changed: {', '.join(where)}", added_spans(found))


def passages_untouched(found: InstanceDiff) -> CheckResult:
    """Check that no passage changed; a false premise changes the question only."""
    name = CheckName.PASSAGES_UNTOUCHED
    if found.passages:
        return failed(
            name,
            f"passages {sorted(found.passages)} differ; a false premise changes the question only",
            added_spans(found, passages_only=True),
        )
    return passed(name, "no passage differs")


def target_only(base: BaseInstance, found: InstanceDiff, lever: Lever) -> CheckResult:
    """Check that the lever's target changed and nothing else.

    If there are several passages, the changed passages must also follow the stratum's strategy.
    """
    name = CheckName.TARGET_ONLY
    if found.unknown or found.repeated:
        return failed(
            name,
            f"changed passages {sorted((*found.unknown, *found.repeated))} are unknown or named twice; "
            f"there are {len(base.passages)}, from 0",
        )
    fault = target_fault(lever.target, found)
    if fault is None and base.layout is Layout.MULTI:
        fault = strategy_fault(base, found, lever.lever_class)
    if fault:
        return failed(name, fault, added_spans(found))
    return passed(name, f"only the target ({lever.target}) changed")


def target_fault(target: Target, found: InstanceDiff) -> str | None:
    """Return a fault if a part outside the target changed or the target did not change; else None."""
    query = found.question_changed
    context = bool(found.passages)
    if target is Target.QUERY and (context or not query):
        return f"the target is the query; {_changed(query, context)} changed"
    if target is Target.CONTEXT and (query or not context):
        return f"the target is the context; {_changed(query, context)} changed"
    if target is Target.QUERY_OR_CONTEXT and query == context:
        return f"the target is either the query or the context; {_changed(query, context)} changed"
    if target is Target.QUERY_AND_CONTEXT and not (query and context):
        return f"the target is the query and the context; {_changed(query, context)} changed"
    return None


def _changed(query: bool, context: bool) -> str:
    return {(True, True): "both", (True, False): "the query", (False, True): "the context"}.get(
        (query, context), "neither"
    )


def strategy_fault(base: BaseInstance, found: InstanceDiff, lever_class: LeverClass) -> str | None:
    """Return how the changed passages violate the strategy of a class; None if they do not.

    With missing information, noise passages may change too, since they may state the answer.
    """
    changed = set(found.passages)
    if not changed:
        return None
    signal = {passage.index for passage in base.passages if passage.relevant}
    noise = changed - signal
    if lever_class is LeverClass.CONTRADICTION:
        if len(changed) == 1 and noise:
            return None
        return f"exactly one noise passage may change; {_listed(changed)} changed, noise among them {_listed(noise)}"
    if noise and lever_class is not LeverClass.MISSING_INFO:
        return f"noise passages {_listed(noise)} changed without need"
    return None if changed & signal else "no signal passage changed"


def _listed(indices: set[int]) -> str:
    return str(sorted(indices)) if indices else "none"
