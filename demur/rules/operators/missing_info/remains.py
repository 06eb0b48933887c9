"""What still tells the answer once every mention of it is gone: parts of it, and what it follows from."""

import re

from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.answers import AnswerType
from demur.text.lexicon import FUNCTION_WORDS, can_be, first_names, places
from demur.text.names import NameKind
from demur.text.questions import WhWord, content_words
from demur.text.tokens import fold, sentences


def _derived(analysis: Analysis, text: str) -> bool:
    """Return whether a word made from a one-word answer stands in the text: 'Bulgarian' for 'Bulgaria'."""
    asked = analysis.question.text.lower()
    for answer in analysis.base.answers:
        stem = re.fullmatch(r"(?:in |the )*([^\W\d_]{5,}?)[eya]?", answer.strip().lower())
        found = re.search(rf"\b{re.escape(stem[1])}\w{{0,5}}\b", text.lower()) if stem else None
        if found is not None and found.group() not in asked and len(found.group()) > 5:
            return True
    return False


def _named_part(analysis: Analysis, text: str) -> bool:
    """Return whether the name in an answer of common words stays: 'the Ouse' of 'the fields along the Ouse'."""
    asked = analysis.question.text.lower()
    for answer in analysis.base.answers:
        words = re.findall(r"[^\W\d_]{4,}", answer)
        names = {w for w in words if w[0].isupper() and w.lower() not in asked} - {"River", "Lake", "Mount"}
        common = any(w.islower() for w in words)
        if common and any(re.search(rf"\b{re.escape(name)}\b", text) for name in names):
            return True
    return False


def _shortened(analysis: Analysis, text: str) -> bool:
    """Return whether a name without its kind or age stays: 'the Tarn' of 'the Tarn River', 'Norse' of 'Old Norse'."""
    asked = analysis.question.text.lower()
    for answer in analysis.base.answers:
        words = answer.strip().removeprefix("the ").split()
        if len(words) < 2 or not all(w[:1].isupper() for w in words):
            continue
        kindless = " ".join(words[:-1])
        telling = can_be(words[-1].lower(), "NOUN") and kindless.lower() not in places() and len(kindless) >= 4
        stems = [kindless] if telling or words[-1] == "City" else []  # 'the City of Tarn' is as good
        if words[0].lower() in _OLD_OR_NEW:
            stems.append(" ".join(words[1:]))
        if any(s.lower() not in asked and re.search(rf"\b{re.escape(s)}\b", text) for s in stems):
            return True
    return False


_OLD_OR_NEW = frozenset(
    "old new upper lower north south east west northern southern eastern western great greater".split()
)
_DAYS_APART = re.compile(
    r"\b(?:one|two|three|four|five|six|ten|few|several|\d+) (?:days?|weeks?|months?|years?) "
    r"(?:later|after|before|earlier)\b",
    re.IGNORECASE,
)
_LASTED = re.compile(
    r"\b(?:after|for|time of|took|taking|lasted|within) (?:\w+ ){0,4}?(?:two|three|four|five|six|seven|eight|nine|ten|"
    r"twelve|\d{1,2}) years\b"
)
_PLACED = re.compile(
    r"\b(?:located|situated|based) (?:\w+ ){0,4}?(?:on|at|in|near|west|east|north|south|between|along)\b"
    r"|\b(?:lies|stands) (?:on|at|in|near)\b"
)


def _member(analysis: Analysis, text: str) -> bool:
    """Return whether one of several things that an answer lists stays by name."""
    parts = [
        p.strip() for a in analysis.base.answers if "," in a or " and " in a for p in re.split(r", and |, | and ", a)
    ]
    named = [p for p in parts if p[:1].isupper() and " " in p]
    return analysis.answer_type is AnswerType.LIST and any(re.search(rf"\b{re.escape(p)}\b", text) for p in named)


def _surname(analysis: Analysis, text: str) -> bool:
    """Return whether the last word of a person's name stays."""
    for answer in analysis.base.answers:
        words = answer.strip().split()
        if analysis.question.wh is not WhWord.WHO and not (words and words[0].lower() in first_names()):
            continue
        named = 2 <= len(words) <= 4 and all(w[:1].isupper() and w.isalpha() for w in words) and len(words[-1]) > 3
        asked = words[-1].lower() in analysis.question.text.lower() if words else True
        if named and not asked and re.search(rf"\b{re.escape(words[-1])}\b", text):
            return True
    return False


def _initials(analysis: Analysis, text: str) -> bool:
    """Return whether the initials of an answer of three words or more stay: 'SSNs' of 'social security numbers'."""
    for answer in analysis.base.answers:
        letters = "".join(w[0].upper() for w in re.findall(r"[^\W\d_]+", answer) if w.lower() not in FUNCTION_WORDS)
        if len(letters) >= 3 and re.search(rf"\b{letters}s?\b", text):
            return True
    return False


def _words_of_name(analysis: Analysis, text: str) -> bool:
    """Return whether a telling word of a name stays: 'Baltic' of 'the Eastern Baltic Sea'; a person's can be shared."""
    if analysis.answer_type in (AnswerType.PERSON, AnswerType.DATE, AnswerType.LIST):
        return False
    asked = analysis.question.text.lower()
    for answer in analysis.base.answers:
        words = re.findall(r"[^\W\d_]{5,}", answer)
        names = [w for w in words if w[0].isupper() and w.lower() not in asked]
        telling = [w for w in names if w.lower() in places() or not can_be(w.lower(), "NOUN")]
        telling = telling if len(answer.split()) > 1 else []
        if any(re.search(rf"\b{re.escape(w)}\b", text) for w in telling):
            return True
    return False


def _said_otherwise(analysis: Analysis, passage: str) -> bool:
    """Return whether a sentence has all words of an answer in other forms: 'gas lamps' of 'gas lamp'."""
    for answer in analysis.base.answers:
        stems = {w[:5] for w in content_words(answer)}
        if len(stems) < 2 or any(c.isupper() or c.isdigit() for c in answer):
            continue
        for sentence in re.split(r"(?<=[.!?]) ", passage.lower()):
            if all(re.search(rf"\b{re.escape(stem)}", sentence) for stem in stems):
                return True
    return False


def _worked_out(analysis: Analysis, text: str) -> str | None:
    """Return from what a date or a place follows in a passage that gave it; None where from nothing."""
    if analysis.answer_type is AnswerType.DATE:
        years = {y for a in analysis.base.answers for y in re.findall(r"\b(?:1\d|20)\d\d\b", a)}
        if any(re.search(rf"\b{year}\b", text) for year in years):
            return "the year stays"
        counted = _DAYS_APART.search(text) or _LASTED.search(text)
        return "a time counted from the date stays" if counted else None
    where = analysis.question.wh is WhWord.WHERE and _PLACED.search(text) is not None
    return "the text says otherwise where it lies" if where else None


_RIVALS = {
    AnswerType.PERSON: (NameKind.PERSON,),
    AnswerType.PLACE: (NameKind.PLACE,),
    AnswerType.ORGANISATION: (NameKind.ORGANISATION,),
}
_SHARED = 0.6


def _one_more_of_its_kind(analysis: Analysis, text: str) -> bool:
    """Return whether a name with the last word of the answer stays: 'Charles River' beside 'Mystic River'."""
    asked = fold(analysis.question.text)
    for answer in analysis.base.answers:
        words = answer.strip().split()
        if len(words) < 2 or not all(w[:1].isupper() for w in words) or not can_be(words[-1].lower(), "NOUN"):
            continue
        others = re.findall(rf"\b[A-Z]\w+ {re.escape(words[-1])}\b", text)
        if analysis.answer_type is not AnswerType.PERSON and any(fold(other) not in asked for other in others):
            return True
    return False


def _taken_for_it(analysis: Analysis, passage: PassageAnalysis, text: str) -> bool:
    """Return whether a sentence left says most of what the question says, and with it a name of the answer's kind.

    Names of the question itself and those that stood beside the answer in another role go by their own sentence.
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


def what_stays(analysis: Analysis, changed: dict[int, str]) -> str | None:
    """Return what in the passages as changed would still tell the answer, None where nothing does."""
    left = {p.index: changed.get(p.index, p.text) for p in analysis.signal}
    if any(_derived(analysis, text) for text in left.values()):
        return "a word made from the answer stays"
    if any(_shortened(analysis, text) or _initials(analysis, text) for text in left.values()):
        return "a part of the answer's name stays"
    if any(_member(analysis, text) or _surname(analysis, text) for text in left.values()):
        return "somebody whom the answer names stays"
    if any(_named_part(analysis, text) or _words_of_name(analysis, text) for text in changed.values()):
        return "a word of the answer's name stays"
    if any(_one_more_of_its_kind(analysis, text) for text in changed.values()):
        return "another thing of the answer's kind stays"
    if any(_said_otherwise(analysis, text) for text in left.values()):
        return "the answer stays in other words"
    if any(_taken_for_it(analysis, p, changed[p.index]) for p in analysis.signal if p.index in changed):
        return "another value of the answer's kind could be taken for it"
    return next((why for text in changed.values() if (why := _worked_out(analysis, text))), None)
