"""A check of which passages a recipe changed, if there are several: those that the lever's class demands."""

from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.checks.diff import InstanceDiff
from demur.text.analysis import Analysis
from demur.text.answers import lists_an_answer


def strategy_fault(
    analysis: Analysis, found: InstanceDiff, lever_class: LeverClass, intensity: Intensity
) -> str | None:
    """Return how the changed passages violate the stratum's strategy; None if code finds no violation.

    If no passage states the answer, as for yes-no questions, one changed signal passage is enough.
    """
    changed = set(found.passages)
    if not changed:
        return None
    signal = {p.index for p in analysis.signal}
    answering = {p.index for p in analysis.answering}
    noise = changed - signal
    if lever_class is LeverClass.CONTRADICTION:
        if len(changed) == 1 and noise:
            return None
        return f"exactly one noise passage may change; {_listed(changed)} changed, noise among them {_listed(noise)}"
    if lever_class is LeverClass.MISSING_INFO:
        noise -= answering
        noise -= {p.index for p in analysis.passages if lists_an_answer(p.text, analysis.base.answers)}
    if noise:
        return f"noise passages {_listed(noise)} changed without need"
    if not changed & signal:
        return "no signal passage changed"
    if intensity is Intensity.LOW or lever_class is LeverClass.EPISTEMIC:
        return None
    missed = (answering & signal) - changed
    return f"signal passages {_listed(missed)} state the answer and did not change" if missed else None


def _listed(indices: set[int]) -> str:
    return str(sorted(indices)) if indices else "none"
