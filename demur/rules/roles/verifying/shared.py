"""What all three rules verifiers check: that only the target changed, where the strategy says, and where the answer is.

Two instances are compared as texts; nothing here knows how the change was made.
"""

from collections.abc import Iterator

from demur.levers.vocabulary import LeverClass, Target
from demur.programs.checks.target import strategy_fault, target_fault
from demur.rules.roles.verifying.case import Case, Check, Flaw
from demur.text import AnswerMention, AnswerType, find_answers


def shared_faults(case: Case) -> Iterator[Flaw]:
    """Yield the faults that any careful reader of the two texts would find."""
    if not case.found.parts:
        yield Flaw(Check.UNCERTAINTY, "nothing differs from the original")
    if fault := target_fault(case.target, case.found):
        yield Flaw(Check.TARGET, fault)
    if case.has_strategy and (fault := strategy_fault(case.analysis, case.found, case.lever_class, case.intensity)):
        yield Flaw(Check.STRATEGY, fault)
    yield from _answer(case)


def mentions(case: Case, *, signal_only: bool) -> list[tuple[int, AnswerMention]]:
    """Return the accepted answers in the perturbed passages, with the index of their passage."""
    passages = case.signal if signal_only else case.passages
    return [(p.index, m) for p in passages for m in find_answers(p.text, case.base.answers)]


def _answer(case: Case) -> Iterator[Flaw]:
    """Yield where the accepted answers do not stand as the stratum demands; a yes or no can't be searched for."""
    if case.analysis.answer_type is AnswerType.YES_NO or not case.analysis.answering:
        return
    if case.lever_class is LeverClass.MISSING_INFO and case.target is Target.QUERY:
        return  # the question is another one, and the answers are not answers to it
    if case.lever_class is LeverClass.MISSING_INFO and case.to_be_refused:
        left = mentions(case, signal_only=False)
        if left:
            yield Flaw(Check.ANSWER, f"passage {left[0][0]} still says '{left[0][1].text}'")
            yield Flaw(Check.BEHAVIOUR, "a respondent would find the answer")
        return
    needed = not case.to_be_refused or case.lever_class is LeverClass.CONTRADICTION
    had = any(p.gives_answer for p in case.analysis.signal)
    if needed and had and not mentions(case, signal_only=True):
        yield Flaw(Check.ANSWER, "no accepted answer stands in a passage that bears on the question any more")
        yield Flaw(Check.BEHAVIOUR, "a respondent would miss the answer")
