"""The examiner among the verifiers: wants the mark of the class, and no mark of a class that goes before it."""

from collections.abc import Iterator

from levers.vocabulary import PRECEDENCE
from programs.respondent import NumberedPassage
from programs.rules.roles.defects import spot
from programs.rules.roles.verifying.case import Case, Check, Fault


def strict_faults(case: Case) -> Iterator[Fault]:
    """Yield where the defect shows no mark of its class, or the mark of another one that would be named first."""
    passages = [NumberedPassage(number=p.index + 1, text=p.text) for p in case.passages]
    seen = spot(case.question, passages)
    if not case.to_be_refused or seen is None or seen not in PRECEDENCE or case.expected not in PRECEDENCE:
        return
    before = [NumberedPassage(number=p.index + 1, text=p.text) for p in case.base.passages]
    if PRECEDENCE.index(seen) < PRECEDENCE.index(case.expected) and spot(case.base.question, before) is not seen:
        yield Fault(Check.REASON, f"a refusal would rather be {seen}")
