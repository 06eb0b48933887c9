"""What leads from one passage to the passage that answers, and a second thing of its kind with a passage of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from demur.levers.frames import Kind
from demur.levers.vocabulary import Layout
from demur.rules.corpus import last_year
from demur.rules.described import entry_of
from demur.rules.operators.registry import Pull
from demur.rules.operators.stated import Place
from demur.text.analysis import PassageAnalysis
from demur.text.kinds import ROLES, gender_of
from demur.text.names import NamedMention
from demur.text.questions import content_words
from demur.text.tokens import fold

_PLACES = frozenset({Kind.CITY, Kind.STATE, Kind.COUNTRY, Kind.PLACE, Kind.RIVER})
"""Kinds of which what else is said, where they lie, tells the thing."""
_NEAREST = 8
"""Other things among which one can be chosen."""
_MOST_YEARS = 40
"""Years by which the last years of two entries differ at most that can stand for each other."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """Where a passage names what the answering passage is an entry on, and other things of its kind with entries."""

    place: Place
    others: tuple[tuple[str, str], ...]


def bridge_of(pull: Pull) -> Bridge | None:
    """Return the one step between two passages that bear on the answer; None where it is not plain."""
    analysis = pull.analysis
    if analysis.base.layout is Layout.SINGLE or len(analysis.signal) != 2 or len(analysis.answering) != 1:
        return None
    held = analysis.main
    leading = next(p for p in analysis.signal if p.index != held.index)
    kind = _kind_of_entry(held)
    named = _naming(leading, held)
    if kind is None or kind in _PLACES or named is None or not held.gives_answer:
        return None
    if analysis.is_answer(named.text) or fold(named.text) in fold(analysis.question.text):
        return None
    place = Place(leading, leading.sentence_at(named.span), named.span, named.text, kind)
    own = fold(f"{analysis.question.text} {leading.text}")
    fitting = (
        (name, text)
        for name, text in _others(pull, kind, held)
        if fold(name) not in own and fold(name.split()[-1]) not in own and not analysis.is_answer(text)
        if kind is not Kind.PERSON or gender_of(name) == gender_of(named.text)
    )
    nearest = tuple(islice(fitting, _NEAREST))
    return Bridge(place, nearest) if nearest else None


def _kind_of_entry(passage: PassageAnalysis) -> Kind | None:
    entry = entry_of(passage.text)
    if entry is not None:
        return entry[1]
    is_person = re.match(r"[A-Z][^.]{3,60}\((?:[^)]*; )?(?:born |[^)]*\d{4} ?[–-] ?)", passage.text) is not None
    return Kind.PERSON if is_person else None


def _naming(leading: PassageAnalysis, held: PassageAnalysis) -> NamedMention | None:
    """Return the one place where a passage names what another is the entry on, in full or by first and last name."""
    opening = " ".join(fold(held.text[:80]).split()[:7]).replace('"', "")
    heads = set(opening.split())
    found = [
        n
        for n in leading.names
        if len(n.norm.split()) > 1 and (opening.startswith(n.norm) or set(n.norm.split()) <= heads)
    ]
    return found[0] if len(found) == 1 and leading.text.count(found[0].text) == 1 else None


def _others(pull: Pull, kind: Kind, held: PassageAnalysis) -> Iterator[tuple[str, str]]:
    """Yield other things of the kind in the corpus with their entries, those first whose text is nearest."""
    own = entry_of(held.text)
    said = content_words(held.text)
    year = last_year(held.text)
    what = ROLES if kind is Kind.PERSON else frozenset({own[2].split()[-1]}) if own is not None else frozenset()
    alike = what & content_words(held.sentences[0].text)
    near = [
        entry
        for entry in pull.corpus.entries.get(kind, ())
        if alike & entry.opening and (year is None or entry.year is None or abs(year - entry.year) <= _MOST_YEARS)
    ]
    for entry in sorted(near, key=lambda entry: (-len(said & entry.words), entry.name)):
        yield entry.name, entry.text
