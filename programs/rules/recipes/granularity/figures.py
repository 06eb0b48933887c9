"""A counted number of a passage, as a question about another level of it can speak of it."""

import random
import re
from dataclasses import dataclass

from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.recipes.granularity import wording
from demur.programs.rules.subjects import Subject, passage_subject
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.lexicon import verb_tags
from demur.programs.text.quantities import Number, NumberKind

_SHARED = frozenset(
    "people inhabitants residents members students pupils employees workers soldiers players passengers farmers "
    "visitors "
    "viewers spectators children deaths fatalities casualties victims votes voters copies units records albums books "
    "singles episodes matches goals points seats locations stores shops restaurants hotels museums schools hospitals "
    "companies ships aircraft tanks languages islands villages houses homes apartments rooms patents articles letters "
    "paintings films songs performances flights bases stations churches households troops delegates teachers "
    "families".split()
)
"""Nouns for things of which one entry can hold a share, and of which there are more elsewhere."""


ELSEWHERE_TOO = _SHARED - frozenset(
    "members seats points copies units goals votes matches episodes rooms locations bases flights performances".split()
)
"""Those of them whose number in the whole world can be spoken of."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of things that a passage states.

    `said` is number and noun as a question writes them ('259 matches'), `original` as the passage does; `noun` the
    plural noun; `owner` what they are counted for, `owner_in_text` the same as the passage writes it; `link` ties the
    number to it in a question ('mentioned in connection with oppo'); `is_subjects` says that the passage is about the
    subject and its sentence gives the number to it ('has 214 members').
    """

    passage: int
    said: str
    original: str
    noun: str
    owner: str | None
    owner_in_text: str | None
    link: str
    value: float
    is_subjects: bool


def find_figure(analysis: Analysis, subject: Subject | None, rng: random.Random) -> Figure | None:
    """Return a counted number of a signal passage, one near the subject first; None where nothing is counted."""
    found: list[tuple[int, PassageAnalysis, Number]] = []
    for passage in analysis.signal:
        near = subject is not None and subject.name.casefold() in passage.text.casefold()
        for number in passage.numbers:
            if _is_count(passage, number):
                found.append((int(not near) * 10 + passage.sentence_at(number.span).index, passage, number))
    if not found:
        return None
    _, passage, number = min(found, key=lambda f: (f[0], f[2].span.start))
    said = " ".join(number.whole.of(passage.text).split())
    own = passage_subject(passage)
    is_asked = (
        own is not None
        and subject is not None
        and own.casefold().removeprefix("the ") == (subject.name.casefold().removeprefix("the "))
    )
    owner = subject.phrase if subject is not None and is_asked else own
    in_text = own
    link = f"mentioned in connection with {owner}" if owner else "that are mentioned"
    sentence = passage.sentence_at(number.span)
    given = _GIVEN.search(passage.text[sentence.span.start : number.whole.start]) is not None
    return Figure(passage.index, said, said, number.unit or "", owner, in_text, link, number.value, is_asked and given)


_GIVEN = re.compile(
    r"\b(?:has|have|had|with|of|employs?|employed|operates?|operated|contains?|seats?|holds?|enrols?|enrolls?|"
    r"(?:is|was) home to|sold|comprises?|population (?:is|was))\s(?:[\w-]+\s){0,3}$"
)
"""What stands before a number that a sentence gives to its subject."""


def is_of(figure: Figure, subject: Subject) -> bool:
    """Say whether the number counts what is commonly counted for a thing of the subject's kind, and counts its own."""
    return figure.is_subjects and figure.noun in wording.COUNTED_OF.get(subject.kind, ())


def _is_count(passage: PassageAnalysis, number: Number) -> bool:
    unit = number.unit
    if number.kind is not NumberKind.CARDINAL or unit is None or number.value < 3:
        return False
    said = number.whole.of(passage.text)
    before = passage.text[: number.whole.start]
    plain = (
        is_plural(unit)
        and unit in _SHARED
        and len(said.split()) <= 5
        and not any(w[:1].isupper() for w in said.split()[1:])
        and not re.search(r"[\(\)\[\],;:\"“”–—]", said.replace(number.text, ""))
    )
    dated = any(d.span.overlaps(number.span) for d in passage.dates)
    titled = re.search(r"[A-Z]\w+ $", before) is not None and not passage.sentence_at(number.span).text.startswith(said)
    linked = re.search(
        r"(?:[-–—.,$£€/]|\d|\b(?:of|top|age|aged|no|number|volume|chapter|article|title|act))\s?$", before[-12:].lower()
    )
    verbal = any(verb_tags(w.lower()) & {"VBD", "VBG"} for w in said.split()[1:-1])
    return plain and not dated and linked is None and not verbal and not titled
