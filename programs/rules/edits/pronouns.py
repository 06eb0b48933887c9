"""Which pronoun stands for a person, by first name and by the pronouns of the passages."""

import random
import re
from dataclasses import dataclass

from faker.providers.person.en_US import Provider as _Names

from demur.programs.rules.edits.answer_phrases import Phrase
from demur.programs.text.analysis import Analysis
from demur.programs.text.spans import Span
from demur.programs.text.tokens import fold

_FEMALE = frozenset(fold(n) for n in _Names.first_names_female)
_MALE = frozenset(fold(n) for n in _Names.first_names_male)
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "sir", "dame", "lord", "lady", "captain", "professor", "president"})
_INVENTED_FEMALE = tuple(sorted(n for n in _Names.first_names_female if fold(n) not in _MALE))
_INVENTED_MALE = tuple(sorted(n for n in _Names.first_names_male if fold(n) not in _FEMALE))
_INVENTED_LAST = tuple(sorted(n for n in _Names.last_names if n.isalpha()))


@dataclass(frozen=True, slots=True)
class Pronouns:
    """The forms of a personal pronoun."""

    subject: str
    object: str
    possessive: str


SHE = Pronouns("she", "her", "her")
HE = Pronouns("he", "him", "his")


def gender_of(name: str) -> Pronouns | None:
    """Return the pronouns that a full name's first name asks for, None where it is known for both or neither."""
    words = [fold(w).strip(".") for w in name.split()]
    first = next((w for w in words if w not in _TITLES), "")
    if first in _FEMALE - _MALE:
        return SHE
    return HE if first in _MALE - _FEMALE else None


def invented_like(forms: Pronouns, rng: random.Random) -> str:
    """Return a made-up full name for which the given pronouns are right."""
    first = _INVENTED_FEMALE if forms is SHE else _INVENTED_MALE
    return f"{rng.choice(first)} {rng.choice(_INVENTED_LAST)}"


def pronouns(analysis: Analysis) -> Pronouns | None:
    """Return the pronouns for the person asked for, None where the text does not tell."""
    named = gender_of(analysis.answer)
    if named is not None:
        return named
    said = re.findall(r"\b(?:she|her|hers|he|him|his)\b", " ".join(p.text.lower() for p in analysis.answering))
    women = sum(w in {"she", "her", "hers"} for w in said)
    if said and women in (0, len(said)):
        return SHE if women else HE
    return None


def pronoun_for(text: str, found: Phrase, forms: Pronouns) -> tuple[Span, str] | None:
    """Return what to replace with which form of the pronoun where a name stands; None where no form fits."""
    if text[found.span.end : found.span.end + 2] in {"'s", "’s"}:
        return Span(found.span.start, found.span.end + 2), forms.possessive
    after = found.after
    if after is not None and (after.text in {"(", "/", "'", "’"} or after.norm in {"and", "or"}):
        return None
    if found.is_subject:
        return found.span, forms.subject
    closed = after is None or not after.is_word or after.text.islower()
    if found.preposition is not None and closed and not (after is not None and after.text == ","):
        return found.span, forms.object
    return None
