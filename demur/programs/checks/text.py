"""Checks of changed text: no leaks, no excessive change of length, and no other language."""

import re

from demur.levers.models import Lever
from demur.programs.checks.diff import InstanceDiff, TextDiff
from demur.programs.checks.leaks import LEAKS, name_of
from demur.programs.checks.results import CheckName, CheckResult, Evidence, failed, passed
from demur.text.language import detect, language_name
from demur.text.spans import Span
from demur.text.tokens import words

_FRAGMENT = 5
"""The fewest words of a text whose language can be detected."""
_SURELY = 0.9
"""The confidence from which a sentence counts as another language."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")


def no_leak(found: InstanceDiff, lever: Lever | None) -> CheckResult:
    """Check that the change adds no sign of the test: code, class name, lever name, instruction, JSON or marker."""
    name = CheckName.NO_LEAK
    for index, part in found.parts:
        where = "the question" if index is None else f"passage {index}"
        patterns = LEAKS if lever is None else (*LEAKS, ("the lever's name", name_of(lever.name)))
        for what, pattern in patterns:
            known = {m.group().casefold() for m in pattern.finditer(part.old)}
            for match in pattern.finditer(part.new):
                if match.group().casefold() not in known:
                    spans = (Evidence(index, match.start(), match.end(), match.group()),)
                    return failed(name, f"{where} holds {what}: '{match.group()}'", spans)
    return passed(name, "nothing of the machinery stands in the text added")


def length_and_language(found: InstanceDiff) -> CheckResult:
    """Check that changed texts keep their language, stay within bounds of length, and gain no broken text.

    A question that had x words may have from 2 to max(3 x, x + 60) words. A passage that had x words may have from
    max(4, .04 x) to max(2.5 x, x + 100) words.
    """
    name = CheckName.LENGTH_AND_LANGUAGE
    for index, part in found.parts:
        fault = _length_fault(part, is_question=index is None) or _language_fault(part)
        if fault:
            where = "the question" if index is None else f"passage {index}"
            said, at = fault
            spans = (Evidence(index, at.start, at.end, at.of(part.new)),) if at else ()
            return failed(name, f"{where} {said}", spans)
    return passed(name, "length and language stay in bounds")


_Fault = tuple[str, Span | None]
"""A fault of a text, and its place."""


def _length_fault(part: TextDiff, *, is_question: bool) -> _Fault | None:
    old = len(words(part.old))
    new = len(words(part.new))
    low, high = (
        (2, max(3 * old, old + 60))
        if is_question
        else (min(old, max(4, int(0.04 * old))), max(int(2.5 * old), old + 100))
    )
    if not low <= new <= high:
        return f"has {new} words; it had {old}, and {low} to {high} are allowed", None
    return None


def _language_fault(part: TextDiff) -> _Fault | None:
    """Return a fault for broken text, or for the first changed sentence in another language; None if there is none."""
    broken = _CONTROL.search(part.new)
    if broken and not _CONTROL.search(part.old):
        return "holds a control or replacement character", Span(*broken.span())
    for sentence in part.touched_sentences:
        if len(words(sentence.text)) < _FRAGMENT:
            continue
        found = detect(sentence.text)
        if found.code is None or found.confidence < _SURELY or _one(found.code) == _one(part.language):
            continue
        if detect(part.old).code != found.code:
            return f"has a sentence that is not {language_name(part.language)}", sentence.span
    return None


def _one(language: str) -> str:
    """Return one code for both written forms of Norwegian."""
    return "no" if language in ("nb", "nn") else language
