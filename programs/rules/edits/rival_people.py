"""Invented people who could stand where the person of the answer stands."""

import random
import re

from faker.providers.person.en_GB import Provider as _Person

from demur.programs.text.analysis import Analysis
from demur.programs.text.tokens import fold, tokenise

_FEMALE = tuple(sorted(_Person.first_names_female))
_MALE = tuple(sorted(_Person.first_names_male))
SURNAMES = tuple(sorted(n for n in _Person.last_names if n.isalpha()))
_HERS = re.compile(
    r"\b(?:actress|girl\w*|wife|mother|mom|sister|daughter|queen|woman|princess|lady|aunt|grandmother|niece)\b",
    re.IGNORECASE,
)
_HIS = re.compile(
    r"\b(?:boy\w*|husband|father|dad|brother|son|king|man|prince|uncle|grandfather|nephew)\b", re.IGNORECASE
)
"""Words of the question that tell the sex of the one asked for."""


_MODERN = 1850
_OLD_TIMES = re.compile(
    r"\b(?:ottoman|napoleonic|elizabethan|ancient|medieval|roman|conquest|pharaoh|crusades?|1[0-7]\d\d)\b",
    re.IGNORECASE,
)


def is_of_a_woman(question: str) -> bool:
    """Say whether a question asks for a woman: 'who played his mother'."""
    return _HERS.search(question) is not None


def is_of_a_man(question: str) -> bool:
    """Say whether a question asks for a man: 'who played her husband'."""
    return _HIS.search(question) is not None


def other_people(
    answer: str, question: str, rng: random.Random, *, several: bool, female: bool = False, male: bool = False
) -> str:
    """Return an invented name of the sex that question, passages or answer tell; two where answer or text is plural.

    `female` and `male` are what the passages tell, by their pronouns.
    """
    first = next((fold(t.text) for t in tokenise(answer) if t.is_capitalised), "")
    hers, his = is_of_a_woman(question), is_of_a_man(question)
    female, male = (hers, his) if hers != his else (female, male)
    if female == male:
        female, male = first in {fold(n) for n in _FEMALE}, first in {fold(n) for n in _MALE}
    given = _FEMALE if female and not male else _MALE if male and not female else _FEMALE + _MALE
    count = 2 if several or " and " in answer else 1
    return " and ".join(f"{rng.choice(given)} {rng.choice(SURNAMES)}" for _ in range(count))


def is_mans_name(name: str) -> bool:
    """Say whether a full name opens with a first name that only men have."""
    first = fold(name.split()[0]) if name.split() else ""
    return first in {fold(n) for n in _MALE} and first not in {fold(n) for n in _FEMALE}


def is_long_ago(analysis: Analysis) -> bool:
    """Say whether question or passages tell of times from which no invented name would be."""
    years = analysis.years
    return (
        bool(years)
        and years[-1] < _MODERN
        or _OLD_TIMES.search(analysis.question.text) is not None
        or any(re.search(r"\bBCE?\b", p.text) for p in analysis.signal)
    )
