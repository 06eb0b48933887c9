"""The asked fact as it can be written into a passage: titles that only the question writes, small, get capitals."""

import re
from dataclasses import replace

from demur.programs.rules.subjects.find import find_subject
from demur.programs.rules.subjects.kinds import WORKS
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import AskedFact, asked_fact

_SMALL = frozenset("a an the of and in on at to for or by with from as".split())


WITHIN = re.compile(r"(?:\b(?:not|and|or|so|too|very|am|are|be)|['’](?:m|re)) $", re.IGNORECASE)
"""What stands before a name that is only a part of what a question quotes: "when i'm not young and beautiful"."""


def spoken_fact(analysis: Analysis) -> AskedFact | None:
    """Return the asked fact, None where the question can't be turned round; 'in black mass' becomes 'in Black Mass'."""
    fact, subject = asked_fact(analysis), find_subject(analysis)
    if fact is None or subject is None or not analysis.question.lower_case or subject.kind not in WORKS:
        return fact
    title = re.compile(rf"\b{re.escape(subject.short)}(?!\w)", re.IGNORECASE)

    def cased(text: str) -> str:
        return title.sub(lambda m: m.group() if WITHIN.search(text[: m.start()]) else as_title(m.group()), text)

    noun = cased(fact.noun) if fact.noun else None
    return replace(fact, before=cased(fact.before), after=cased(fact.after), noun=noun)


def as_title(text: str) -> str:
    """Return words with the capitals of a title: 'The King and I'."""
    words = text.split(" ")
    small = [bool(i) and w in _SMALL for i, w in enumerate(words)]
    return " ".join(w if s else w[:1].upper() + w[1:] for w, s in zip(words, small, strict=True))
