"""What all three rules verifiers check: that only the target changed, where the strategy says, and where the answer is.

Two instances are compared as texts; nothing here knows how the change was made.
"""

from collections.abc import Iterator

from demur.levers.vocabulary import Intensity, LeverClass, Target
from demur.programs.rules.analysis import AnswerMention, AnswerType, find_answers
from demur.programs.rules.roles.verifying.case import Case, Check, Fault


def shared_faults(case: Case) -> Iterator[Fault]:
    """Yield the faults that any careful reader of the two texts would find."""
    if not case.found.parts:
        yield Fault(Check.UNCERTAINTY, "nothing differs from the original")
    yield from _target(case)
    if case.several:
        yield from _strategy(case)
    yield from _answer(case)


def _target(case: Case) -> Iterator[Fault]:
    query, context = case.found.question_changed, sorted(case.found.passages)
    if query and case.target is Target.CONTEXT:
        yield Fault(Check.TARGET, "the question changed and should not have")
    if context and case.target is Target.QUERY:
        yield Fault(Check.TARGET, f"passages {context} changed and should not have")
    if case.target is Target.QUERY_OR_CONTEXT and query and context:
        yield Fault(Check.TARGET, "question and passages changed, one of them was to stay")
    if case.target is Target.QUERY and not query or case.target is Target.CONTEXT and not context:
        yield Fault(Check.TARGET, f"the {case.target} did not change")


def _strategy(case: Case) -> Iterator[Fault]:
    changed = set(case.found.passages)
    if not changed:
        return
    signal = {p.index for p in case.base.passages if p.relevant}
    noise = changed - signal
    answering = {p.index for p in case.analysis.passages if p.gives_answer}
    if case.lever_class is LeverClass.CONTRADICTION:
        if len(changed) != 1 or not noise:
            yield Fault(Check.STRATEGY, f"passages {sorted(changed)} changed; it was to be one noise passage")
        return
    if case.lever_class is LeverClass.MISSING_INFO:
        if noise - answering:
            yield Fault(Check.STRATEGY, f"noise passages {sorted(noise - answering)} changed without need")
        missed = (answering & signal or signal) - changed
        if missed and case.intensity is not Intensity.LOW:
            yield Fault(Check.STRATEGY, f"signal passages {sorted(missed)} were left as they were")
        return
    if noise:
        yield Fault(Check.STRATEGY, f"noise passages {sorted(noise)} changed")
    wanted = (answering & signal or signal) if case.lever_class is LeverClass.AMBIGUITY else signal
    if wanted - changed:
        yield Fault(Check.STRATEGY, f"signal passages {sorted(wanted - changed)} were left as they were")


def mentions(case: Case, *, signal_only: bool) -> list[tuple[int, AnswerMention]]:
    """Return the accepted answers in the perturbed passages, with the index of their passage."""
    passages = case.signal if signal_only else case.passages
    return [(p.index, m) for p in passages for m in find_answers(p.text, case.base.answers)]


def _answer(case: Case) -> Iterator[Fault]:
    """Yield where the accepted answers do not stand as the stratum demands; a yes or no can't be searched for."""
    if case.analysis.answer_type is AnswerType.YES_NO or not case.analysis.answering:
        return
    if case.lever_class is LeverClass.MISSING_INFO and case.to_be_refused:
        left = mentions(case, signal_only=False)
        if left:
            yield Fault(Check.ANSWER, f"passage {left[0][0]} still says '{left[0][1].text}'")
            yield Fault(Check.BEHAVIOUR, "a respondent would find the answer")
        return
    needed = not case.to_be_refused or case.lever_class is LeverClass.CONTRADICTION
    had = any(p.gives_answer for p in case.analysis.signal)
    if needed and had and not mentions(case, signal_only=True):
        yield Fault(Check.ANSWER, "no accepted answer stands in a passage that bears on the question any more")
        yield Fault(Check.BEHAVIOUR, "a respondent would miss the answer")
