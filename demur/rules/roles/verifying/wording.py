"""The editor among the verifiers: reads what was written into question and passages for scars, grammar and measure.

Faults that the original had as well are none. What a lever leaves disfluent by design (a text that breaks off, a heap
of keywords) is no scar either; the catalogue says which parts.
"""

import re
from collections.abc import Iterator
from typing import Final

from demur.levers.vocabulary import Intensity, LeverClass, Part
from demur.programs.checks.diff import TextDiff
from demur.rules.roles.verifying.case import Case, Check, Flaw
from demur.rules.roles.verifying.language import (
    balance,
    capitals,
    grammar,
    inverted,
    scars,
    small_names,
    verbless,
)
from demur.rules.roles.verifying.meaning import out_of_place
from demur.text.lexicon import verb_tags
from demur.text.tokens import sentences, tokenise, words

_REFERS_BACK: Final = re.compile(
    r"(?:(?:Today|Now|Currently|Since then), (?:he|she|it|they)|"
    r"He|She|It|They|His|Her|Its|Their|However|Also|Moreover|Furthermore|Instead|Later|Afterwards|But|And|So|Neither)\b"
)
_LOW_WORDS: Final = 60
_LOW_SHARE: Final = 0.4
_QUESTION_GROWTH: Final = {Intensity.LOW: 18, Intensity.MEDIUM: 26, Intensity.HIGH: 40}
_ECHO: Final = 16
"""So many words in a row that stand twice in one addition make it read like a form."""


def wording_faults(case: Case) -> Iterator[Flaw]:
    """Yield what an editor would strike out of the changed texts."""
    yield from out_of_place(case)
    for index, part in case.found.parts:
        where = "the question" if index is None else f"passage {index}"
        disfluent = (Part.QUERY if index is None else Part.CONTEXT) in case.disfluent
        issues = [*scars(part), *grammar(part), *balance(part)]
        issues += _question(part, disfluent) if index is None else _passage(case, part, disfluent)
        for issue in issues:
            yield Flaw(Check.QUALITY, f"{where}: {issue}")
        yield from _measure(case, index, part)


def _question(part: TextDiff, disfluent: bool) -> Iterator[str]:
    """Whether the question keeps the register of the original: capitals, mark, a verb."""
    old = part.old.rstrip()
    new = part.new.rstrip()
    if not any(c.isupper() for c in old) and any(c.isupper() for c in new):
        yield "capitals, where the original has none"
    if disfluent:
        return
    if old[:1].isupper() and new[:1].islower():
        yield "a small letter at its beginning"
    if old.endswith("?") and not new.endswith("?"):
        yield "its mark is missing"
    if not any(verb_tags(t.norm) for t in words(new)) and any(verb_tags(t.norm) for t in words(old)):
        yield "no verb is left in it"


def _passage(case: Case, part: TextDiff, disfluent: bool) -> Iterator[str]:
    """Whether the passage still opens, runs and ends like one."""
    yield from small_names(part, case.base.question)
    yield from inverted(part)
    if disfluent:
        return
    yield from capitals(part, case.base.question)
    yield from verbless(part)
    opening = sentences(part.new)[:1]
    before = sentences(part.old)[:1]
    if opening and before and opening[0].text != before[0].text:
        first = opening[0].text.lstrip("'\"“‘")
        if _REFERS_BACK.match(first) and not _REFERS_BACK.match(before[0].text):
            yield f"it opens with '{first.split()[0]}', which refers to nothing"
        if first[:1].islower() and before[0].text[:1].isupper():
            yield "a small letter at its beginning"
    if part.old.rstrip()[-1:] in ".!?" and part.new.rstrip()[-1:] not in ".!?\"”)':]":
        yield "it ends without a full stop"
    yield from _echo(part)


def _echo(part: TextDiff) -> Iterator[str]:
    """Yield a long run of words that stands twice in what was added."""
    for span in part.added:
        norms = [t.norm for t in tokenise(span.of(part.new)) if t.is_word]
        seen: set[tuple[str, ...]] = set()
        for at in range(len(norms) - _ECHO + 1):
            run = tuple(norms[at : at + _ECHO])
            if run in seen:
                yield f"the same {_ECHO} words stand twice ('{' '.join(run[:5])} ...')"
                return
            seen.add(run)


def _measure(case: Case, index: int | None, part: TextDiff) -> Iterator[Flaw]:
    """The change is not out of proportion to the intensity."""
    added = sum(len(words(s.of(part.new))) for s in part.added)
    removed = sum(len(words(s.of(part.old))) for s in part.removed)
    if index is None:
        if added - removed > _QUESTION_GROWTH[case.intensity]:
            yield Flaw(Check.QUALITY, f"the question: {added - removed} words longer, too many for {case.intensity}")
        return
    if case.lever_class is LeverClass.MISSING_INFO and case.to_be_refused:
        return
    size = len(words(part.old))
    if case.intensity is Intensity.LOW and added + removed > max(_LOW_WORDS, _LOW_SHARE * size):
        yield Flaw(Check.INTENSITY, f"passage {index}: {added + removed} words changed, too many for LOW")
    if added > size + _LOW_WORDS:
        yield Flaw(Check.QUALITY, f"passage {index}: {added} words were added to {size}")
