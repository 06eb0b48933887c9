"""Predicates for lever needs. A predicate receives the analysis of a base instance."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final

from demur.programs.lever_needs import words
from demur.text import (
    Analysis,
    AnswerType,
    DatePrecision,
    NamedMention,
    NameKind,
    Number,
    NumberKind,
    PassageAnalysis,
    WhWord,
)
from demur.text.people import is_first_name
from demur.text.spans import Span
from demur.text.tokens import fold
from demur.text.tokens import words as words_of

Found = Callable[[Analysis], bool]
DATED: Final = frozenset({AnswerType.DATE})
FIGURES: Final = frozenset({AnswerType.NUMBER, AnswerType.MONEY})
AGENTS: Final = frozenset({AnswerType.PERSON, AnswerType.ORGANISATION})
NAMES: Final = AGENTS | {AnswerType.PLACE, AnswerType.TITLE}
WHO: Final = frozenset({WhWord.WHO, WhWord.WHOSE})
NO_PARTIES: Final = frozenset({NameKind.PLACE, NameKind.TITLE})
DAYS: Final = frozenset({DatePrecision.DAY, DatePrecision.MONTH_DAY})
BEFORE_PLACES: Final = frozenset({"in", "at", "near", "from", "to", "through", "of"})
LEAST_ROUNDED: Final = 11
"""The smallest whole number that rounding changes."""
LEAST_BEFORE: Final = 3
"""The fewest words before an answer for a text that breaks off there."""
LEAST_PARTS: Final = 2
"""The fewest sentences of a passage that can be divided."""


_LETTERS: Final = re.compile(r"[A-Z][A-Za-z]?[A-Z\d.]*")
_ASIDE: Final = re.compile(r"\([^()]+\)|（[^（）]+）|\s[–—][^–—]+[–—]\s")
_ROW: Final = r"(?:[^\n]*[^\s|][^\S\n]*(?:[|│｜]|\t)[^\n]*)"
TABLE: Final = re.compile(rf"^{_ROW}\n{_ROW}$|<tr\b", re.MULTILINE | re.IGNORECASE)
"""Two lines below one another whose cells are divided by bars or tabs, as passages of documents have them, or HTML."""
_QUOTED: Final = re.compile(r"[\"“][^\"”]+[\"”]")


@cache
def _any_of(said: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{said})\b", re.IGNORECASE)


def asked(said: str) -> Found:
    """Return a predicate that is true if the question has one of the words."""
    return lambda a: _any_of(said).search(a.question.text) is not None


def mentioned(said: str) -> Found:
    """Return a predicate that is true if a signal passage has one of the words."""
    return lambda a: any(_any_of(said).search(p.text) for p in a.signal)


def answer_is(*kinds: AnswerType) -> Found:
    """Return a predicate that is true if the answer is of one of `kinds`."""
    return lambda a: a.answer_type in kinds


def named(*kinds: NameKind) -> Found:
    """Return a predicate that is true if the passages have a name of one of `kinds`.

    If `kinds` is empty, any name is enough.
    """
    return lambda a: any(True for _ in names(a, *kinds))


def people(a: Analysis) -> set[str]:
    """Return the people whom the passages name with a first name or a title."""
    return {
        name.norm
        for name in names(a, NameKind.PERSON)
        if " " in name.norm
        and (is_first_name(fold(name.text.partition(" ")[0])) or re.match(words.TITLES, name.text) is not None)
    }


def names(a: Analysis, *kinds: NameKind) -> Iterator[NamedMention]:
    """Yield the names of `kinds` in the passages, or all names if `kinds` is empty."""
    return (name for p in a.signal for name in p.names if not kinds or name.kind in kinds)


def _numbers(p: PassageAnalysis) -> Iterator[Number]:
    for number in p.numbers:
        in_date = any(date.span.overlaps(number.span) for date in p.dates)
        if not in_date and number.kind is not NumberKind.ORDINAL:
            yield number


def figures(a: Analysis, *, spare: bool = False) -> list[Number]:
    """Return the figures of the passages. If `spare` is true, figures in answers are left out."""
    return [
        number
        for p in a.signal
        for number in _numbers(p)
        if not (spare and any(mention.span.overlaps(number.whole) for mention in p.answers))
    ]


def words_before_answer(a: Analysis) -> bool:
    """Return whether words stand before the answer in each passage that has the answer."""
    giving = [p.text[: min(mention.span.start for mention in p.answers)] for p in a.signal if p.answers]
    return bool(giving) and all(len(before.split()) >= LEAST_BEFORE for before in giving)


def measured(a: Analysis) -> bool:
    """Return whether the answer is a figure with a unit in the passages."""
    if a.answer_type not in FIGURES:
        return False
    return any(
        number.kind is NumberKind.MEASURE and mention.span.overlaps(number.whole)
        for p in a.signal
        for mention in p.answers
        for number in p.numbers
    )


def answer_says(said: str) -> Found:
    """Return a predicate that is true if an accepted answer has one of the words.

    If the answer is a figure, the words may also be in the sentence that gives the answer.
    """
    pattern = re.compile(said, re.IGNORECASE)
    return lambda a: (
        any(pattern.search(answer) for answer in a.base.answers)
        or bool(a.answer_sentence and a.answer_type in FIGURES and pattern.search(a.answer_sentence.text))
    )


def bodies(a: Analysis) -> Iterator[NamedMention]:
    """Yield the organisations that the passages name in words.

    Abbreviations are omitted, since an abbreviation may not mean an organisation.
    """
    return (name for name in names(a, NameKind.ORGANISATION) if not _LETTERS.fullmatch(name.text))


def rivalled(a: Analysis) -> bool:
    """Return whether the passages have another value of the answer's kind."""
    if a.answer_type in DATED:
        return len({d.span.of(p.text).casefold() for p in a.signal for d in p.dates}) > 1
    if a.answer_type in FIGURES:
        return len({number.value for number in figures(a)}) > 1
    others: dict[AnswerType, Callable[[Analysis], Iterable[str]]] = {
        AnswerType.PERSON: people,
        AnswerType.PLACE: places,
        AnswerType.ORGANISATION: lambda a: (name.text for name in bodies(a)),
        AnswerType.TITLE: lambda a: (name.text for name in names(a, NameKind.TITLE)),
    }
    found = others.get(a.answer_type)
    return found is not None and any(not a.is_answer(other) for other in found(a))


def agent(a: Analysis) -> bool:
    """Return whether the answer is a person or organisation."""
    return a.answer_type in AGENTS or a.question.wh in WHO


def actor_asked(a: Analysis) -> bool:
    """Return whether the question asks who or what did something."""
    return asked(words.ACTOR_ASKED)(a) or asked(words.AGENT_ASKED)(a)


def day(a: Analysis) -> bool:
    """Return whether the passages give a day of the month or week."""
    return any(date.precision in DAYS for p in a.signal for date in p.dates) or mentioned(words.WEEKDAY)(a)


def roundable(*, spare: bool = False) -> Found:
    """Return a predicate that is true if the passages give a figure that rounding changes.

    If `spare` is true, figures in answers are ignored.
    """
    return lambda a: any(abs(n.value) >= LEAST_ROUNDED or n.value % 1 for n in figures(a, spare=spare))


def thing(a: Analysis) -> bool:
    """Return whether the answer is not a date, a figure, or a yes or no."""
    return a.answer_type not in (*DATED, *FIGURES, AnswerType.YES_NO)


def subject(said: str) -> Found:
    """Return a predicate that is true if the question or a signal passage has one of the words.

    The predicate is also true if the question's topic is a titled work.
    """
    return lambda a: a.topic is NameKind.TITLE or asked(said)(a) or mentioned(said)(a)


def place_asked_about(a: Analysis) -> bool:
    """Return whether the question names a place that is not the answer."""
    question = a.question.text.casefold()
    named_so = {n.text.casefold() for n in names(a, NameKind.OTHER)} if mentioned(words.TOWN)(a) else set()
    return any(place in question and not a.is_answer(place) for place in places(a) | named_so)


def party_asked_about(a: Analysis) -> bool:
    """Return whether the question names, outside of quotation marks, a person or body that is not the answer."""
    question = _QUOTED.sub("", a.question.text).casefold()
    parties = (name for name in names(a) if name.kind not in NO_PARTIES)
    return any(name.text.casefold() in question and not a.is_answer(name.text) for name in parties)


def person_asked_about(a: Analysis) -> bool:
    """Return whether the answer is a person or the question names a person."""
    question = a.question.text.casefold()
    named_so = (name.text.casefold() for name in names(a, NameKind.PERSON))
    return a.answer_type is AnswerType.PERSON or any(name in question for name in named_so)


def dated_figure(a: Analysis) -> bool:
    """Return whether the answer is a date, or a figure for a year that the question or the passage's sentence names."""
    if a.answer_type in DATED:
        return True
    sentence = a.answer_sentence.text if a.answer_sentence else ""
    return a.answer_type in FIGURES and _any_of(words.OF_A_YEAR).search(f"{a.question.text}\n{sentence}") is not None


def places(a: Analysis) -> set[str]:
    """Return the names in the passages that are known as places or follow a preposition of place."""
    found = set()
    for p in a.signal:
        for name in p.names:
            before = p.text[: name.span.start].rstrip().rpartition(" ")[2].casefold()
            if name.kind is NameKind.PLACE or (name.kind is NameKind.OTHER and before in BEFORE_PLACES):
                found.add(name.text.casefold())
    return found


def money(a: Analysis) -> bool:
    """Return whether the passages give a sum of money."""
    return any(n.kind is NumberKind.MONEY for n in figures(a)) or mentioned(words.PAID)(a)


def has_capital(answers: Iterable[str]) -> bool:
    """Return whether an answer has a word with a capital letter."""
    return any(word[:1].isupper() for answer in answers for word in answer.split())


def living(a: Analysis) -> bool:
    """Return whether a passage tells of a living person."""
    return any(
        _any_of(words.ALIVE).search(p.text) and not _any_of(words.DEAD).search(p.text)
        for p in a.signal
        if any(name.kind is NameKind.PERSON for name in p.names)
    )


def organism(a: Analysis) -> bool:
    """Return whether the question is about an organism, and the passages do not speak of fiction."""
    return asked(words.ORGANISMS)(a) and not mentioned(words.FICTION)(a)


BRACKETS: Final = re.compile(words.IN_BRACKETS)


def has_digit(a: Analysis) -> bool:
    """Return whether an accepted answer has a digit. Works in any language."""
    return any(character.isdigit() for answer in a.base.answers for character in answer)


def no_figure(a: Analysis) -> bool:
    """Return whether the accepted answers have no digit and are not yes or no. Works in any language."""
    return not has_digit(a) and a.answer_type is not AnswerType.YES_NO


def text_before_answer(a: Analysis) -> bool:
    """Return whether text precedes the answer in each passage that has the answer. Works in any language."""
    first = [(p.text, min(mention.span.start for mention in p.answers)) for p in a.signal if p.answers]
    return bool(first) and all(len(words_of(text[:start])) >= LEAST_BEFORE for text, start in first)


def digits(least: int, *, spare: bool = False) -> Found:
    """Return a predicate that is true if the passages have at least `least` different numbers in digits.

    If `spare` is true, numbers in answers are ignored.
    """

    def found(a: Analysis) -> bool:
        numbers = {
            token.norm
            for p in a.signal
            for token in p.tokens
            if token.text[0].isdigit() and not (spare and any(m.span.overlaps(token.span) for m in p.answers))
        }
        return len(numbers) >= least

    return found


def has_aside(a: Analysis) -> bool:
    """Return whether a passage has a bracketed aside without an accepted answer. Works in any language."""
    asides = ((p, Span(*match.span())) for p in a.signal for match in _ASIDE.finditer(p.text))
    return any(not any(m.span.overlaps(span) for m in p.answers) for p, span in asides)
