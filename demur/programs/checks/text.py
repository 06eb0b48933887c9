"""Checks of changed text: no leaks, no excessive change of length, and no other language."""

import re

from demur.levers.models import Lever
from demur.programs.checks.diff import InstanceDiff, TextDiff
from demur.programs.checks.foreign import is_foreign
from demur.programs.checks.leaks import LEAKS, name_of
from demur.programs.checks.results import CheckName, CheckResult, Evidence, failed, passed
from demur.text.language import detect, language_name
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.spans import Span
from demur.text.support import TextPart, supports
from demur.text.tokens import words

_DOUBLED = re.compile(r"\b(the|a|an|of|in|on|at|to|for|and|is|was|were|are|by|with)\s+\1\b", re.IGNORECASE)
_FRAGMENT = 6
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


def _function_share(text: str) -> float:
    found = words(text)
    return sum(t.norm in FUNCTION_WORDS for t in found) / len(found) if found else 0.0


def _prose(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "|" not in line)


def _has_foreign_sentence(part: TextDiff) -> bool:
    if part.new.isascii():
        return False
    return any(len(words(s.text)) >= 4 and _foreign_share(s.text) > 0.5 for s in part.touched_sentences)


def _foreign_share(text: str) -> float:
    if text.isascii():
        return 0.0
    letters = [c for c in text if c.isalpha()]
    return sum(ord(c) > 0x24F for c in letters) / len(letters) if letters else 0.0


def _other_language(part: TextDiff) -> _Fault | None:
    """Return a fault for the first changed sentence in another language; None if all are in the text's language."""
    for sentence in part.touched_sentences:
        found = detect(sentence.text)
        if len(words(sentence.text)) < _FRAGMENT or found.code is None or found.confidence < _SURELY:
            continue
        if _one(found.code) != _one(part.language) and detect(part.old).code != found.code:
            return f"has a sentence that is not {language_name(part.language)}", sentence.span
    return None


def _one(language: str) -> str:
    """Return one code for both written forms of Norwegian."""
    return "no" if language in ("nb", "nn") else language


def _language_fault(part: TextDiff) -> _Fault | None:
    broken = _CONTROL.search(part.new)
    if broken and not _CONTROL.search(part.old):
        return "holds a control or replacement character", Span(*broken.span())
    if not supports(part.language, TextPart.WORDS):
        return _other_language(part)
    if _foreign_share(part.new) > _foreign_share(part.old) + 0.1 or _has_foreign_sentence(part):
        return "is no longer written in Latin letters", None
    pieces = [s.span for s in part.touched_sentences]
    pieces += [piece for piece in part.added if len(words(piece.of(part.new))) >= _FRAGMENT]
    foreign = next((piece for piece in pieces if is_foreign(piece.of(part.new))), None)
    if foreign is not None and not is_foreign(part.old):
        return "has a sentence that is not English", foreign
    prose = _prose(part.new)
    if len(words(prose)) >= 12 and _function_share(prose) < 0.2 * _function_share(part.old):
        return "has too few of the small words that English has", None
    doubled = {m.group().casefold() for m in _DOUBLED.finditer(part.old)}
    for match in _DOUBLED.finditer(part.new):
        if match.group().casefold() not in doubled:
            return f"doubles a word: '{match.group()}'", Span(*match.span())
    return None
