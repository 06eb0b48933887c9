"""The respondent among the verifiers: reads the perturbed instance without the answers and sees where that leads."""

from collections.abc import Iterator
from typing import Final

from levers.vocabulary import LeverClass
from programs.respondent import NumberedPassage
from programs.rules.analysis import AnswerType, find_answers
from programs.rules.roles.reading import evidence
from programs.rules.roles.verifying.case import Case, Check, Fault

READ: Final = 3
"""How many sentences of best evidence a reader weighs."""


def rederive_faults(case: Case) -> Iterator[Fault]:
    """Yield where reading leads somewhere else than the stratum demands."""
    if case.analysis.answer_type is AnswerType.YES_NO or not _leads(case, case.base.question, original=True):
        return
    kept = not case.to_be_refused or case.lever_class is LeverClass.CONTRADICTION
    leads = _leads(case, case.question, original=False)
    if kept and not leads:
        yield Fault(Check.BEHAVIOUR, "the best evidence no longer leads to an accepted answer")


def _leads(case: Case, question: str, *, original: bool) -> bool:
    texts = case.base.passages if original else case.passages
    passages = [NumberedPassage(number=p.index + 1, text=p.text) for p in texts]
    best = evidence(question, passages)[: READ if not case.several else 2 * READ]
    return any(find_answers(e.sentence.text, case.base.answers) for e in best)
