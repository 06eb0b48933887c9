"""The rules lane as verifier: three readers of different strictness, none of which knows how a change was made.

rederive  reads the perturbed passages as a respondent does and sees where that leads
wording   reads the changed text as an editor does
strict    looks for the mark of the class, and for the marks of classes that come before it
"""

from collections.abc import Callable, Iterator
from typing import Final

from demur.levers.catalogue import Catalogue
from demur.levers.vocabulary import Code, Intensity
from demur.programs.signatures.verification import checks_that_apply
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.rules.roles.verifying.case import Case, Check, Flaw
from demur.rules.roles.verifying.rederive import rederive_faults
from demur.rules.roles.verifying.shared import mentions, shared_faults
from demur.rules.roles.verifying.strict import strict_faults
from demur.rules.roles.verifying.wording import wording_faults

Reader = Callable[[Case], Iterator[Flaw]]


VERIFIERS: Final[dict[str, Reader]] = {
    "rederive": rederive_faults,
    "wording": wording_faults,
    "strict": strict_faults,
}


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return the verdict of one of the readers.

    Each check of a verdict is false where a fault was found; it is PASS where there is none.
    """
    if which not in VERIFIERS:
        raise unknown_rules(which, VERIFIERS)
    case = Case.of(inputs, catalogue)
    return verdict(case, (*shared_faults(case), *VERIFIERS[which](case)))


def verdict(case: Case, faults: tuple[Flaw, ...]) -> Outputs:
    """Return the output fields of VerifyPerturbation for a case with these faults."""
    found = {fault.check for fault in faults}
    applying = checks_that_apply(case.intensity, strategy=case.has_strategy)
    if found - {Check(check) for check in applying}:
        found.add(Check.LEVER)
    checks = {check.value: check not in found if check in applying else None for check in Check}
    predicted = _predicted(case, found)
    return {
        **checks,
        "refusal_analysis": _refusal_analysis(case, predicted, faults),
        "constraint_analysis": _constraint_analysis(case),
        "predicted_behaviour": predicted,
        "observed_intensity": _observed(case, found),
        "issues": tuple(dict.fromkeys(fault.issue for fault in faults)),
        "overall": "FAIL" if faults else "PASS",
    }


def _predicted(case: Case, found: set[Check]) -> Code:
    if Check.BEHAVIOUR not in found:
        return case.expected if Check.REASON not in found else Code.OTHER
    return Code.ANSWER_CORRECTLY if case.to_be_refused else Code.MISSING


def _observed(case: Case, found: set[Check]) -> Intensity:
    if not found & {Check.INTENSITY, Check.BEHAVIOUR}:
        return case.intensity
    return Intensity.LOW if case.to_be_refused else Intensity.MEDIUM


def _refusal_analysis(case: Case, predicted: Code, faults: tuple[Flaw, ...]) -> str:
    if not predicted.is_refusal:
        return "The passages lead to an answer."
    reasons = [f.issue for f in faults if f.check in (Check.BEHAVIOUR, Check.REASON)]
    return f"One would refuse with {predicted}" + (f": {reasons[0]}." if reasons else ".")


def _constraint_analysis(case: Case) -> str:
    left = mentions(case, signal_only=False)
    if not left:
        return "No passage says an accepted answer."
    places = sorted({index for index, _ in left})
    return f"'{left[0][1].text}' stands in passage{'s' if len(places) > 1 else ''} {', '.join(map(str, places))}."
