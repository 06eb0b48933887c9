"""The respondent among the verifiers: reads the perturbed instance without the answers and sees where that leads.

What it reads is compared with the accepted answers only afterwards. Where the original leads it nowhere it can't tell
what the change did, and says nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.levers.instances import Passage
from demur.levers.vocabulary import Intensity, LeverClass, Target
from demur.programs.signatures.response import NumberedPassage
from demur.rules.roles.reading import PassageEvidence, asked_of, evidence
from demur.rules.roles.reading.concepts import concept_set
from demur.rules.roles.verifying.case import Case, Check, Flaw
from demur.rules.roles.verifying.meaning import still_answerable
from demur.rules.roles.verifying.weight import DISCOUNTED
from demur.text import AnswerType, find_answers
from demur.text.person_answers import is_person_name
from demur.text.questions import content_words
from demur.text.tokens import fold, words

_ASIDE: Final = re.compile(r"\((?!so )[^()]*\)")
READ: Final = 3
"""How many sentences of best evidence a reader weighs, of one passage; twice as many of several."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The best evidence for a question, and whether it holds an accepted answer."""

    best: tuple[PassageEvidence, ...]
    leads: bool


def rederive_faults(case: Case) -> Iterator[Flaw]:
    """Yield where reading leads somewhere else than the stratum demands."""
    yield from still_answerable(case)
    yield from (
        {
            LeverClass.AMBIGUITY: _ambiguity,
            LeverClass.CONTRADICTION: _contradiction,
            LeverClass.MISSING_INFO: _missing,
            LeverClass.FALSE_PREMISE: _question_defect,
            LeverClass.GRANULARITY: _question_defect,
            LeverClass.EPISTEMIC: _question_defect,
        }[case.lever_class](case)
        if case.to_be_refused
        else _still_answered(case)
    )


@lru_cache(maxsize=512)
def _read(question: str, passages: tuple[Passage, ...], answers: tuple[str, ...], count: int) -> Reading:
    weighed = [e for e in evidence(question, _numbered(passages)) if not _is_discounted(e)]
    best = tuple(weighed[:count])
    return Reading(best, any(find_answers(e.sentence.text, answers) for e in best))


def _is_discounted(found: PassageEvidence) -> bool:
    """Return whether a sentence, or what its passage opens with, takes weight from what is said.

    What stands in brackets takes weight from itself, unless it says whose statement it follows ("so an old version").
    """
    said = (_ASIDE.sub("", text) for text in (found.sentence.text, found.passage.sentences[0].text))
    return any(DISCOUNTED.search(text) is not None for text in said)


def _numbered(passages: Sequence[Passage]) -> list[NumberedPassage]:
    return [NumberedPassage(number=p.index + 1, text=p.text) for p in passages]


def _readings(case: Case) -> tuple[Reading, Reading]:
    """The reading of the original and that of the perturbed instance."""
    count = 2 * READ if case.several else READ
    before = _read(case.base.question, case.base.passages, case.base.answers, count)
    return before, _read(case.question, case.passages, case.base.answers, count)


def _still_answered(case: Case) -> Iterator[Flaw]:
    """LOW: what led to an accepted answer still does, and no added sentence now leads somewhere else."""
    if case.analysis.answer_type is AnswerType.YES_NO:
        return
    before, after = _readings(case)
    if before.leads and not after.leads:
        yield Flaw(Check.BEHAVIOUR, "the best evidence no longer leads to an accepted answer")
        return
    if not before.best or not after.best:
        return
    first = after.best[0]
    led = bool(find_answers(before.best[0].sentence.text, case.base.answers))
    added = first.sentence.text not in "\n".join(p.text for p in case.base.passages)
    rival = [c.text for c in first.candidates if c.sure and not find_answers(c.text, case.base.answers)]
    if led and added and rival and not find_answers(first.sentence.text, case.base.answers):
        yield Flaw(Check.BEHAVIOUR, f"the best evidence is now an added sentence, which leads to '{rival[0]}'")


def _contradiction(case: Case) -> Iterator[Flaw]:
    """A sentence that was added or changed is about what is asked."""
    old = "\n".join(p.text for p in case.base.passages)
    fresh = [e for e in evidence(case.base.question, _numbered(case.passages)) if e.sentence.text not in old]
    if not any(_about(case, e) for e in fresh):
        yield Flaw(Check.UNCERTAINTY, "no added sentence is about what is asked")
        yield Flaw(Check.BEHAVIOUR, "the passages still lead to one answer")


def _about(case: Case, found: PassageEvidence) -> bool:
    """Return whether a sentence shares most of the question's concepts, or takes up the sentence that answers."""
    wanted = set(asked_of(case.base.question).words)
    said = concept_set(found.sentence.text)
    source = case.analysis.answer_sentence
    concepts = concept_set(source.text) if source else frozenset()
    near = len(wanted & said) >= max(1, len(wanted) / 2) or len(concepts & said) >= max(2, len(concepts) / 3)
    return near or bool(find_answers(found.sentence.text, case.base.answers))


def _missing(case: Case) -> Iterator[Flaw]:
    """No part and no near spelling of the answer in what would be read, and, for MEDIUM, still the same subject."""
    before, after = _readings(case)
    if case.target is Target.QUERY:
        if after.best and _answers_it(case.question, after.best[0]):
            yield Flaw(Check.BEHAVIOUR, "one sentence of the passages answers what is asked")
        return
    left = _remains(case, after.best)
    if left:
        yield Flaw(Check.ANSWER, f"'{left}' still gives the answer away")
        yield Flaw(Check.BEHAVIOUR, "a careful reader can still work out the answer")
    if case.intensity is Intensity.MEDIUM and before.best:
        wanted = set(asked_of(case.base.question).words)
        old = frozenset().union(*(concept_set(p.text) for p in case.base.passages))
        new = frozenset().union(*(concept_set(p.text) for p in case.passages))
        if len(wanted & new) < len(wanted & old) / 2:
            yield Flaw(Check.INTENSITY, "the passages are no longer on the subject")


def _remains(case: Case, best: Sequence[PassageEvidence]) -> str | None:
    """Return a word of the best evidence that is, or is nearly, a telling word of an accepted answer."""
    from rapidfuzz.distance import Levenshtein

    asked = content_words(case.base.question)
    telling = {
        t.norm
        for answer in case.base.answers
        for t in (words(answer)[-1:] if is_person_name(answer) else words(answer))
        if (len(t.norm) >= 5 and t.is_capitalised) or (t.norm.isdigit() and len(t.norm) >= 3)
    }
    telling = {w for w in telling if w not in fold(case.base.question) and w not in asked}
    old = "\n".join(p.text for p in case.base.passages)
    for found in best:
        fresh = found.sentence.text not in old
        for token in words(found.sentence.text):
            for word in telling:
                near = len(word) >= 5 and not word.isdigit() and Levenshtein.distance(word, token.norm) == 1
                if near or (fresh and token.norm == word):
                    return token.text
    return None


def _ambiguity(case: Case) -> Iterator[Flaw]:
    """The question no longer says all that it said, and the passages name more than one thing."""
    if not case.found.question_changed:
        return
    fitting = {fold(n.text) for p in case.analysis.passages for n in p.names}
    if len(fitting) < 2 and len(case.analysis.main.sentences) < 2:
        yield Flaw(Check.UNCERTAINTY, "the passages name nothing else that could be meant")
    asked = set(asked_of(case.base.question).words)
    if asked <= concept_set(case.question) and len(words(case.question)) <= len(words(case.base.question)):
        yield Flaw(Check.BEHAVIOUR, "the question still says all that it said")


def _name_concepts(case: Case) -> frozenset[str]:
    """The concepts in the names that the passages hold."""
    return frozenset().union(*(concept_set(n.text) for p in case.analysis.passages for n in p.names))


def _question_defect(case: Case) -> Iterator[Flaw]:
    """The question is still about the passages, and they do not answer what it now asks."""
    known = frozenset().union(*(concept_set(p.text) for p in case.passages))
    wanted = concept_set(case.question)
    if case.found.question_changed and not wanted & known & (concept_set(case.base.question) | _name_concepts(case)):
        yield Flaw(Check.REASON, "the question has nothing to do with the passages, so that facts are simply missing")
    fresh = wanted - concept_set(case.base.question)
    changed = re.sub(r"\W+", " ", fold(case.question)) != re.sub(r"\W+", " ", fold(case.base.question))
    if (
        changed
        and not fresh
        and concept_set(case.base.question) == wanted
        and len(case.question) <= len(case.base.question)
    ):
        yield Flaw(Check.BEHAVIOUR, "the question asks what it asked before")
        return
    _, after = _readings(case)
    asks_more = fresh and after.best and case.lever_class is not LeverClass.FALSE_PREMISE
    if asks_more and _answers_it(case.question, after.best[0]):
        yield Flaw(Check.BEHAVIOUR, "one sentence of the passages answers what is now asked")


def _answers_it(question: str, best: PassageEvidence) -> bool:
    """Return whether a sentence holds all that is asked and a value of the kind that is asked for."""
    return concept_set(question) <= concept_set(best.sentence.text) and any(c.sure for c in best.candidates)
