"""What a change means: what still tells the answer, what is beside the point, what its passage knows nothing of."""

import re
from collections.abc import Iterator
from typing import Final

from demur.levers.frames import Kind
from demur.levers.vocabulary import Intensity, LeverClass
from demur.rules.operators.missing_info.remains import what_stays
from demur.rules.rivals import asks_for_more, surroundings_decide
from demur.rules.roles.reading.concepts import concept_set
from demur.rules.roles.verifying.case import Case, Check, Flaw
from demur.text.kinds import kind_of_answer
from demur.text.names import NameKind, find_names
from demur.text.quantities import find_numbers
from demur.text.tokens import fold, words

_LEFT: Final = 0.34
"""The share of the question's concepts that a medium ambiguity leaves in it, at least."""
_KEYWORDS: Final = 4
_MOST_MARKS: Final = 2
_MARK: Final = re.compile(r"\[[^\]]{3,40}\]")
_EXPLAINED: Final = re.compile(r"\],? (?:such as|including|like|for example)\b|\], (?:the|an?) ")
_OPENING_MARK: Final = re.compile(r"\[[^\]]{3,40}\] (?:is|are|was|were) an? ")
_EVERYBODY: Final = re.compile(r"\b(?:everybody|everyone|all (?:the )?(?:people|those))\b", re.IGNORECASE)
_NO_RIVAL: Final = re.compile(r"\b[Nn]ot\b[^.]{1,90}\bbut (?:in |by |at |of )?(?:something else|another one)\b")
_PLACES: Final = frozenset({Kind.CITY, Kind.STATE, Kind.COUNTRY})


def still_answerable(case: Case) -> Iterator[Flaw]:
    """Yield what tells the answer in spite of the change, or which of two values is right."""
    changed = _changed(case)
    if not case.to_be_refused or not changed:
        return
    two_values = case.lever_class in (LeverClass.CONTRADICTION, LeverClass.AMBIGUITY)
    lost = case.lever_class is LeverClass.MISSING_INFO and case.intensity is Intensity.MEDIUM
    if (two_values or lost) and asks_for_more(case.analysis):
        yield Flaw(Check.UNCERTAINTY, "the question asks for one more of several, and others are named")
    if lost:
        yield from _still_stated(case, changed)
    is_place = kind_of_answer(case.analysis) in _PLACES
    if two_values and is_place and surroundings_decide(case.analysis):
        yield Flaw(Check.UNCERTAINTY, "other places in the passage tell which one is right")


def _still_stated(case: Case, changed: dict[int, str]) -> Iterator[Flaw]:
    stays = what_stays(case.analysis, changed)
    if stays is not None:
        yield Flaw(Check.ANSWER, stays)
    for index, text in changed.items():
        if _EXPLAINED.search(text) and not _EXPLAINED.search(case.base.passages[index].text):
            yield Flaw(Check.ANSWER, f"passage {index}: what stands behind a gap explains it")
        if case.base.passages[index].relevant and _OPENING_MARK.match(text):
            yield Flaw(Check.ANSWER, f"passage {index}: it goes on to describe what was taken out")


def beside_the_point(case: Case) -> Iterator[Flaw]:
    """Yield where a change misses what the stratum or the passages give it to work on."""
    changed = _changed(case)
    old = concept_set(case.base.question)
    new = concept_set(case.question)
    asked_only = case.found.question_changed and not changed
    is_open = case.lever_class is LeverClass.AMBIGUITY and asked_only
    if is_open and case.intensity is Intensity.MEDIUM and len(old & new) < _LEFT * len(old):
        yield Flaw(Check.LEVER, "next to nothing of the question is left")
    if is_open and old & new and new - old and len(words(case.question)) <= _KEYWORDS:
        yield Flaw(Check.LEVER, "the few words left are not all of the question")
    of_all = case.lever_class is LeverClass.GRANULARITY and asked_only and _EVERYBODY.search(case.question)
    if of_all and not any(n.kind is NameKind.PERSON for p in case.analysis.signal for n in p.names):
        yield Flaw(Check.LEVER, "the passages report of nobody")
    if any(_NO_RIVAL.search(text) for text in changed.values()):
        yield Flaw(Check.QUALITY, "another value is said to hold, and none is named")
    if case.lever_class is LeverClass.CONTRADICTION and re.search(r"\bscan\b", case.added):
        figures = {n.value for a in case.base.answers for n in find_numbers(a)}
        if figures and figures <= {n.value for n in find_numbers(case.added)}:
            yield Flaw(Check.LEVER, "the scan has the figure that decides as it was")


def out_of_place(case: Case) -> Iterator[Flaw]:
    """Yield names of the question that were put into a passage which knows nothing of them, and repeated gaps."""
    asked = fold(case.base.question)
    for index, part in case.found.passages.items():
        old = case.base.passages[index].text
        if len(_MARK.findall(part.new)) - len(_MARK.findall(old)) > _MOST_MARKS:
            yield Flaw(Check.QUALITY, f"passage {index}: the same gap again and again")
        if case.to_be_refused:
            continue
        known = fold(old)
        for name in (n for n in find_names(part.added_text) if len(n.text) > 2):
            strange = name.norm in asked and not any(w in known for w in name.norm.split() if len(w) > 3)
            if strange and case.lever_class is LeverClass.EPISTEMIC:
                yield Flaw(Check.QUALITY, f"passage {index}: it has nothing to do with '{name.text}'")
                break


def _changed(case: Case) -> dict[int, str]:
    return {
        new.index: new.text for new, old in zip(case.passages, case.base.passages, strict=True) if new.text != old.text
    }
