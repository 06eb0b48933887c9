"""The examiner among the verifiers: wants the mark of the class, at the right strength, and no mark that comes before.

It compares the marks of the perturbed instance with those of the original, so that only what was planted counts.
"""

import re
from collections.abc import Iterator
from typing import Final

from demur.levers.vocabulary import PRECEDENCE, Code, Intensity, LeverClass
from demur.programs.rules.roles import marks
from demur.programs.rules.roles.marks.patterns import any_of
from demur.programs.rules.roles.marks.question import impossible
from demur.programs.rules.roles.reading import asked_of, values_in
from demur.programs.rules.roles.reading.concepts import concept_set
from demur.programs.rules.roles.verifying.case import Case, Check, Flaw
from demur.programs.rules.roles.verifying.weight import DISCOUNTED
from demur.programs.text import find_answers
from demur.programs.text.tokens import words

_SUMMARY: Final = any_of(r"average|mean|total|range|between|overall|as of|note|table|figure|page|section|see")
_GRAMMATICAL: Final = frozenset({"will", "would", "likely", "should", "all", "if", "might", "could"})
_OF_THE_TEXT: Final = any_of(
    r"this|that|these|here|above|below|account|text|entry|page|article|passage|collection|summary|note"
)
_REMARK: Final = 5
_FEW_EDITS: Final = 3
CORE: Final = 0.65
"""The share of the original question's concepts that a mild defect leaves in it."""


def strict_faults(case: Case) -> Iterator[Flaw]:
    """Yield where the defect shows no mark of its class, shows it too strongly, or shows another class first."""
    own = own_marks(case)
    if case.to_be_refused:
        if not own:
            yield Flaw(Check.UNCERTAINTY, f"nothing marks the change as {case.lever_class}")
            yield Flaw(Check.LEVER, "the lever's defect does not show")
        yield from _earlier(case, own)
        yield from _settled(case, own)
        yield from _subject(case)
        yield from _too_strong(case)
    else:
        yield from _too_strong_for_low(case)
        if case.lever_class in (LeverClass.AMBIGUITY, LeverClass.CONTRADICTION):
            yield from _stray(case)
        if case.lever_class is LeverClass.FALSE_PREMISE and not own and not unsupported(case):
            yield Flaw(Check.UNCERTAINTY, "the question takes nothing new for granted")


def _texts(case: Case) -> tuple[str, str]:
    """The original and perturbed text of the changed passages, each joined."""
    parts = case.found.passages.values()
    return "\n".join(p.old for p in parts), "\n".join(p.new for p in parts)


def new_marks(case: Case) -> dict[Code, frozenset[str]]:
    """Return the marks of each class that the perturbed instance has and the original has not."""
    old, new = _texts(case)
    before, after = case.base.question, case.question
    asked = {
        Code.FALSE_PREMISE: marks.false_premise(after) - marks.false_premise(before),
        Code.AMBIGUOUS: marks.ambiguous(after) - marks.ambiguous(before),
        Code.GRANULARITY: marks.granular(after) - marks.granular(before),
        Code.NONFACTUAL: marks.epistemic(after) - marks.epistemic(before),
    }
    told = {
        Code.AMBIGUOUS: marks.ambiguous_context(new) - marks.ambiguous_context(old),
        Code.CONTRADICTORY: marks.contradicting(new) - marks.contradicting(old),
        Code.MISSING: marks.missing(new) - marks.missing(old),
    }
    return {code: asked.get(code, frozenset()) | told.get(code, frozenset()) for code in PRECEDENCE}


def unsupported(case: Case) -> frozenset[str]:
    """Return the concepts that were put into the question and that no passage has."""
    known = frozenset().union(*(concept_set(p.text) for p in case.passages))
    return concept_set(case.question) - concept_set(case.base.question) - known


def own_marks(case: Case) -> frozenset[str]:
    """Return what marks the change as one of its class; empty where nothing does."""
    found = new_marks(case)
    if case.lever_class is LeverClass.FALSE_PREMISE:
        foreign = found[Code.GRANULARITY] | found[Code.NONFACTUAL]
        return found[Code.FALSE_PREMISE] or (frozenset() if foreign else unsupported(case))
    if case.lever_class is LeverClass.AMBIGUITY:
        return found[Code.AMBIGUOUS] or _open_reference(case)
    if case.lever_class is LeverClass.CONTRADICTION:
        return found[Code.CONTRADICTORY] or _restated(case)
    if case.lever_class is LeverClass.MISSING_INFO:
        return found[Code.MISSING] or _taken_out(case)
    return found[case.expected] if case.to_be_refused else frozenset().union(*found.values())


def _open_reference(case: Case) -> frozenset[str]:
    """A question that lost half of its concepts, or a passage in which one name more stands beside a pronoun."""
    old, new = concept_set(case.base.question), concept_set(case.question)
    if case.found.question_changed and len(old & new) <= len(old) / 2:
        return frozenset({"what was asked about is no longer named"})
    added = case.added.split()
    pronoun = {"he", "she", "it", "they", "or", "and"} & {w.strip(".,;").casefold() for w in added}
    named = any(w[:1].isupper() for w in added)
    return frozenset({"a second bearer"}) if case.found.passages and pronoun and named else frozenset()


def _restated(case: Case) -> frozenset[str]:
    """Added text about what is asked that does not merely repeat the accepted answer."""
    asked = concept_set(case.base.question)
    near = len(asked & concept_set(case.added)) >= len(asked) / 2
    return frozenset({"the asked fact is stated again"}) if near else frozenset()


def _taken_out(case: Case) -> frozenset[str]:
    """Text with an accepted answer in it was taken out."""
    taken = (span.of(part.old) for part in case.found.passages.values() for span in part.removed)
    if any(find_answers(text, case.base.answers) for text in taken):
        return frozenset({"the answering words are gone"})
    gone = any(
        find_answers(part.old, case.base.answers) and not find_answers(part.new, case.base.answers)
        for part in case.found.passages.values()
    )
    return frozenset({"the answering words are gone"}) if gone else frozenset()


def _earlier(case: Case, own: frozenset[str]) -> Iterator[Flaw]:
    """Yield a class that goes before the expected one and shows more marks."""
    found = new_marks(case)
    for code in PRECEDENCE[: PRECEDENCE.index(case.expected)]:
        if len(found[code]) > max(1, len(own)):
            listed = ", ".join(f"'{m}'" for m in sorted(found[code])[:3])
            yield Flaw(Check.REASON, f"one would rather refuse with {code} ({listed})")
            return


def _settled(case: Case, own: frozenset[str]) -> Iterator[Flaw]:
    """Yield what lets a reader settle the matter after all, or shows that it is another matter."""
    if case.lever_class is LeverClass.FALSE_PREMISE:
        yield from _premise_holds(case, own)
    if case.lever_class in (LeverClass.GRANULARITY, LeverClass.EPISTEMIC):
        telling = {mark for mark in own if mark not in _GRAMMATICAL}
        text = "\n".join(p.text for p in case.base.passages)
        shared = sorted(mark for mark in telling if re.search(rf"\b{re.escape(mark)}\b", text, re.IGNORECASE))
        if shared and len(shared) == len(own):
            yield Flaw(Check.UNCERTAINTY, f"the passages themselves speak of '{shared[0]}'")
    if case.lever_class in (LeverClass.CONTRADICTION, LeverClass.AMBIGUITY) and case.found.passages:
        weaker = DISCOUNTED.search(case.added) if case.lever_class is LeverClass.CONTRADICTION else None
        if weaker and not DISCOUNTED.search("\n".join(p.old for p in case.found.passages.values())):
            yield Flaw(Check.INTENSITY, f"one side is marked as the weaker ('{weaker[0]}')")
    if case.lever_class is LeverClass.MISSING_INFO:
        yield from _replaced(case)


def _premise_holds(case: Case, own: frozenset[str]) -> Iterator[Flaw]:
    """A premise whose every word one sentence of the passages has may well be true."""
    added = concept_set(case.question) - concept_set(case.base.question)
    told = (concept_set(s.text) for p in case.analysis.passages for s in p.sentences)
    if added and not impossible(case.question) and any(added <= sentence for sentence in told):
        yield Flaw(Check.UNCERTAINTY, "the passages bear out what the question takes for granted")
    if not added and not own:
        yield Flaw(Check.UNCERTAINTY, "the question takes nothing new for granted")


def _replaced(case: Case) -> Iterator[Flaw]:
    """Another value in the answer's place invites a wrong answer instead of a refusal."""
    asked = asked_of(case.base.question)
    for part in case.found.passages.values():
        for span in part.added:
            text = span.of(part.new)
            if _SUMMARY.search(text):
                continue
            values = values_in(asked, text)
            fresh = sorted(v for v in values if v not in part.old and v.casefold() not in asked.folded)
            if fresh and len(part.added) <= _FEW_EDITS:
                yield Flaw(Check.REASON, f"'{fresh[0]}' now stands where the answer stood")
                return


def _too_strong(case: Case) -> Iterator[Flaw]:
    """A premise that is false by its words alone is more than a MEDIUM one."""
    if case.lever_class is LeverClass.FALSE_PREMISE and case.intensity is Intensity.MEDIUM:
        found = impossible(case.question) - impossible(case.base.question)
        if found:
            yield Flaw(Check.INTENSITY, f"the question is impossible by its own words ('{sorted(found)[0]}')")


def _subject(case: Case) -> Iterator[Flaw]:
    """A lever that keeps the subject leaves a name or a telling word of the original question in the new one."""
    if not case.found.question_changed or not case.keeps_subject:
        return
    if not concept_set(case.base.question) & concept_set(case.question):
        yield Flaw(Check.LEVER, "the subject of the original question is gone")


def _too_strong_for_low(case: Case) -> Iterator[Flaw]:
    old, new = concept_set(case.base.question), concept_set(case.question)
    if case.found.question_changed and old and len(old & new) < CORE * len(old):
        yield Flaw(Check.INTENSITY, "little is left of what was asked")
    found = impossible(case.question) - impossible(case.base.question)
    if found:
        yield Flaw(Check.INTENSITY, f"the question is impossible by its own words ('{sorted(found)[0]}')")
    yield from _equal_rival(case)


def _equal_rival(case: Case) -> Iterator[Flaw]:
    """A mild contradiction gives no second value to what is asked unless it marks it as the weaker."""
    if case.lever_class not in (LeverClass.CONTRADICTION, LeverClass.AMBIGUITY) or not case.found.passages:
        return
    asked = asked_of(case.base.question)
    core = set(asked.words)
    for part in case.found.passages.values():
        for sentence in part.touched_sentences:
            if sentence.text in part.old or DISCOUNTED.search(sentence.text):
                continue
            about = len(core & concept_set(sentence.text)) >= 0.7 * len(core)
            rivals = [v for v in values_in(asked, sentence.text) if v not in part.old]
            if about and rivals and not find_answers(sentence.text, case.base.answers):
                yield Flaw(Check.INTENSITY, f"'{rivals[0]}' is stated as firmly as the answer")
                return


def _stray(case: Case) -> Iterator[Flaw]:
    """A side remark belongs to its passage: it shares a telling word with it, or speaks of the text itself."""
    for index, part in case.found.passages.items():
        known = concept_set(part.old) | concept_set(case.base.question)
        for sentence in part.touched_sentences:
            if sentence.text in part.old or len(words(sentence.text)) < _REMARK:
                continue
            if not concept_set(sentence.text) & known and not _OF_THE_TEXT.search(sentence.text):
                yield Flaw(Check.LEVER, f"passage {index}: an added sentence has nothing to do with the passage")
                return
