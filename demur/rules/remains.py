"""Evidence that stays when all mentions of the answer are removed, such as a part of the answer."""

import re
from typing import Final

from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.answers import AnswerType
from demur.text.lexicon import FUNCTION_WORDS, is_known, places
from demur.text.names import NameKind
from demur.text.quantities import find_numbers
from demur.text.questions import WhWord, content_words
from demur.text.tokens import fold, sentences

_DAYS_APART: Final = re.compile(
    r"\b(?:one|two|three|four|five|six|ten|few|several|\d+) (?:days?|weeks?|months?|years?) "
    r"(?:later|after|before|earlier)\b",
    re.IGNORECASE,
)
_LASTED: Final = re.compile(
    r"\b(?:after|for|time of|took|taking|lasted|within) (?:\w+ ){0,4}?(?:two|three|four|five|six|seven|eight|nine|ten|"
    r"twelve|\d{1,2}) years\b"
)
_PLACED: Final = re.compile(
    r"\b(?:located|situated|based) (?:\w+ ){0,4}?(?:on|at|in|near|west|east|north|south|between|along)\b"
    r"|\b(?:lies|stands) (?:on|at|in|near)\b"
)
_RIVALS: Final = {
    AnswerType.PERSON: (NameKind.PERSON,),
    AnswerType.PLACE: (NameKind.PLACE,),
    AnswerType.ORGANISATION: (NameKind.ORGANISATION,),
}


_SHARED: Final = 0.6
"""Smallest share of the question's words with which a remaining sentence may seem to answer the question."""


def what_stays(analysis: Analysis, changed: dict[int, str]) -> str | None:
    """Return which evidence of the answer stays after the change of passages; None if no evidence stays."""
    left = {p.index: changed.get(p.index, p.text) for p in analysis.signal}
    if any(_word_of_name(analysis, text) or _initials(analysis, text) for text in left.values()):
        return "a part of the answer's name stays"
    if any(_derived(analysis, text) for text in left.values()):
        return "a word made from the answer stays"
    if any(_said_otherwise(analysis, text) for text in left.values()):
        return "the answer stays in other words"
    if any(_taken_for_it(analysis, p, changed[p.index]) for p in analysis.signal if p.index in changed):
        return "another value of the answer's kind could be taken for it"
    return next((why for text in changed.values() if (why := _worked_out(analysis, text))), None)


def _word_of_name(analysis: Analysis, text: str) -> bool:
    """Return whether a word stays that points to a name: a last name, or 'Baltic' of 'the Eastern Baltic Sea'."""
    asked = fold(analysis.question.text)
    for answer in analysis.base.answers:
        words = [w for w in re.findall(r"[^\W\d_]{4,}", answer) if w[0].isupper() and fold(w) not in asked]
        two = sum(word[:1].isupper() for word in answer.split()) == 2
        telling = [w for w in words if fold(w) in places() or not is_known(fold(w)) or two]
        if any(re.search(rf"\b{re.escape(word)}\b", text) for word in telling):
            return True
    return False


def _initials(analysis: Analysis, text: str) -> bool:
    """Return whether the initials of an answer of three words or more stay: 'SSNs' of 'social security numbers'."""
    for answer in analysis.base.answers:
        letters = "".join(w[0].upper() for w in re.findall(r"[^\W\d_]+", answer) if w.lower() not in FUNCTION_WORDS)
        if len(letters) >= 3 and re.search(rf"\b{letters}s?\b", text):
            return True
    return False


def _derived(analysis: Analysis, text: str) -> bool:
    """Return whether a word made from a one-word answer stands in the text: 'Bulgarian' for 'Bulgaria'."""
    asked = fold(analysis.question.text)
    for answer in analysis.base.answers:
        stem = re.fullmatch(
            r"(?:in |at |on |the |an? )*([^\W\d_]{5,}?)(?:[eya]|um|us|is|ic)?s?", answer.strip().lower()
        )
        found = re.search(rf"\b{re.escape(stem[1])}\w{{0,5}}\b", text.lower()) if stem else None
        if found is not None and found.group() not in asked:
            return True
    return False


def _said_otherwise(analysis: Analysis, passage: str) -> bool:
    """Return whether a sentence has all words of an answer in other forms: 'gas lamps' of 'gas lamp'."""
    for answer in analysis.base.answers:
        stems = {w[:5] for w in content_words(answer)}
        if len(stems) < 2 or any(c.isdigit() for c in answer):
            continue
        for sentence in sentences(passage.lower()):
            if all(re.search(rf"\b{re.escape(stem)}", sentence.text) for stem in stems):
                return True
    return False


def _taken_for_it(analysis: Analysis, passage: PassageAnalysis, text: str) -> bool:
    """Return whether a remaining sentence suggests another answer.

    Such a sentence has most words of the question, and also a name of the same kind as the answer.
    """
    kinds = _RIVALS.get(AnswerType.PERSON if analysis.question.wh is WhWord.WHO else analysis.answer_type)
    asked = content_words(analysis.question.text)
    if kinds is None or len(asked) < 2:
        return False
    said = fold(analysis.question.text)
    for sentence in sentences(text):
        if len(asked & content_words(sentence.text)) < max(2, _SHARED * len(asked)):
            continue
        names = [n for n in passage.names if n.kind in kinds and n.text in sentence.text]
        if any(fold(n.text) not in said and not analysis.is_answer(n.text) for n in names):
            return True
    return False


def other_of_its_kind(analysis: Analysis, passage: PassageAnalysis, text: str) -> bool:
    """Return whether `text` still has a name of the answer's kind that is not in the question."""
    kinds = _RIVALS.get(AnswerType.PERSON if analysis.question.wh is WhWord.WHO else analysis.answer_type)
    if kinds is None:
        return False
    said = fold(analysis.question.text)
    names = [n for n in passage.names if n.kind in kinds and re.search(rf"\b{re.escape(n.text)}\b", text)]
    return any(fold(n.text) not in said and not analysis.is_answer(n.text) for n in names)


def _worked_out(analysis: Analysis, text: str) -> str | None:
    """Return a remaining premise from which a removed date or place follows; None if there is none."""
    if analysis.answer_type is AnswerType.DATE:
        years = {y for a in analysis.base.answers for y in re.findall(r"\b(?:1\d|20)\d\d\b", a)}
        if any(re.search(rf"\b{year}\b|\d[–-]{year[2:]}\b", text) for year in years):
            return "the year stays"
        counted = _DAYS_APART.search(text) or _LASTED.search(text)
        return "a time counted from the date stays" if counted else None
    wanted = [n.value for n in find_numbers(analysis.answer)]
    figures = [[n.value for n in find_numbers(sentence.text)] for sentence in sentences(text)]
    if len(wanted) == 1 and any(wanted[0] in (sum(values), *values) for values in figures if values):
        return "figures that add up to the answer stay"
    where = analysis.question.wh is WhWord.WHERE and _PLACED.search(text) is not None
    return "the text says otherwise where it lies" if where else None
