"""Turning a question and an answer into a statement of the fact asked for, where that can be done surely."""

import re

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.answers import AnswerType, answer_date
from programs.rules.analysis.dates import DatePrecision, find_dates
from programs.rules.analysis.lexicon import DETERMINERS, PREPOSITIONS, can_be, verb_tags, word_set
from programs.rules.analysis.questions import Question, WhWord
from programs.rules.analysis.tokens import Token, tokenise
from programs.rules.edits.casing import recase
from programs.rules.edits.grammar import as_sentence, verb_form

_BE = frozenset({"is", "are", "was", "were"})
_DO = {"did": "VBD", "does": "VBZ", "do": "VB"}
_PARTICLES = word_set("out in on off up down over away back about to for from with at into of by as")


def state(analysis: Analysis, value: str) -> str | None:
    """Return a sentence that gives `value` as the answer to the question, None where it can't be phrased surely.

    'when was the movie the king and i made' and '1956' give 'The movie The King and I was made in 1956.'
    """
    clause = state_clause(analysis, value)
    return as_sentence(clause) if clause else None


def state_clause(analysis: Analysis, value: str) -> str | None:
    """Return the statement of `state` without capital and stop, to stand after 'that' or a source."""
    question = analysis.question
    if not question.fronted or "," in question.bare and question.wh is WhWord.NONE:
        return None
    said = value.strip().rstrip(".")
    made = _STATERS.get(question.wh, _nothing)(question, said, analysis)
    if made is None or " and " in made and re.search(r"\band (?:how|what|when|where|who|why)\b", made):
        return None
    return recase_clause(made, said, analysis)


def recase_clause(clause: str, value: str, analysis: Analysis) -> str:
    """Restore capitals in all of a clause but the value given."""
    before, found, after = clause.partition(value)
    return recase(before, analysis) + found + recase(after, analysis) if found else recase(clause, analysis)


def _nothing(question: Question, value: str, analysis: Analysis) -> str | None:
    return None


def _words(text: str) -> list[Token]:
    return [t for t in tokenise(text) if t.is_word]


def _subject(question: Question, value: str, analysis: Analysis) -> str | None:
    """who/what as subject: the value takes the question word's place."""
    if question.focus is not None and question.wh is WhWord.WHO:
        return None
    if question.auxiliary is None:
        if not question.body or question.verb is None:
            return None
        return f"{value} {question.body}"
    if question.auxiliary in _BE:
        return _copula(question, value)
    if question.auxiliary in _DO:
        return _object(question, value)
    if question.auxiliary in {"has", "have", "had"} and question.wh is WhWord.WHO:
        return f"{value} {question.auxiliary} {question.body}"
    return None


def _copula(question: Question, value: str) -> str | None:
    """'who was the captain of the mayflower' -> 'X was the captain of the mayflower'."""
    words = _words(question.body)
    if not words or words[-1].norm in PREPOSITIONS:
        return None
    first = words[0].norm
    if verb_tags(first) & {"VBG", "VBN"} and not can_be(first, "NOUN"):
        return f"{value} {question.auxiliary} {question.body}"
    if question.wh is WhWord.WHO:
        return f"{value} {question.auxiliary} {question.body}"
    if any(verb_tags(w.norm) & {"VBG"} for w in words[-1:]):
        return None
    return f"{question.body} {question.auxiliary} {value}"


def _split_at_verb(question: Question, tags: frozenset[str]) -> tuple[str, str, str] | None:
    """Split the body into subject, verb and the rest, at the first full verb that cannot be a noun of the subject."""
    words = _words(question.body)
    for at in range(1, len(words)):
        word, before = words[at].norm, words[at - 1].norm
        if before in DETERMINERS | PREPOSITIONS or not verb_tags(word) & tags:
            continue
        if can_be(word, "NOUN") and at + 1 < len(words) and _verb_later(words[at + 1 :], tags):
            continue
        return (
            question.body[: words[at].start].strip(),
            words[at].text,
            question.body[words[at].end :].strip(),
        )
    return None


def _verb_later(words: list[Token], tags: frozenset[str]) -> bool:
    for before, word in zip([None, *words], words, strict=False):
        if word.norm in PREPOSITIONS - _PARTICLES:
            return False
        if (before is None or before.norm not in DETERMINERS) and verb_tags(word.norm) & tags:
            return True
    return False


def _object(question: Question, value: str) -> str | None:
    """'what did X win' -> 'X won V'; a stranded preposition takes the value."""
    parts = _split_at_verb(question, frozenset({"VB"}))
    if parts is None:
        return None
    subject, verb, rest = parts
    if rest and rest.split()[-1].lower() in PREPOSITIONS:
        return f"{subject} {verb_form(verb, _DO[question.auxiliary or 'did'])} {rest} {value}"
    return f"{subject} {verb_form(verb, _DO[question.auxiliary or 'did'])} {value} {rest}".strip()


def _adjunct(question: Question, adjunct: str) -> str | None:
    """'when did X come out' -> 'X came out <adjunct>'; 'when was X made' -> 'X was made <adjunct>'."""
    auxiliary = question.auxiliary
    if auxiliary in _DO:
        parts = _split_at_verb(question, frozenset({"VB"}))
        if parts is None:
            return None
        subject, verb, rest = parts
        rest = re.sub(r"\s+(?:to|at|in|on)$", "", rest)
        return f"{subject} {verb_form(verb, _DO[auxiliary])} {rest} {adjunct}".replace("  ", " ")
    if auxiliary in _BE:
        return _passive(question, adjunct)
    if auxiliary in {"will", "would", "can", "could", "should", "may", "might", "must"}:
        parts = _split_at_verb(question, frozenset({"VB"}))
        return f"{parts[0]} {auxiliary} {parts[1]} {parts[2]} {adjunct}".replace("  ", " ") if parts else None
    return None


def _passive(question: Question, adjunct: str) -> str | None:
    words = _words(question.body)
    for at in range(len(words) - 1, 0, -1):
        tags = verb_tags(words[at].norm)
        if (
            tags & {"VBN", "VBG"}
            and words[at - 1].norm not in DETERMINERS | PREPOSITIONS
            and not (tags & {"VB"} and can_be(words[at].norm, "NOUN") and at != len(words) - 1)
        ):
            subject, rest = question.body[: words[at].start].strip(), question.body[words[at].start :].strip()
            return f"{subject} {question.auxiliary} {rest} {adjunct}"
    if words and words[-1].norm not in PREPOSITIONS:
        return f"{question.body} {question.auxiliary} {adjunct}"
    return None


def dated(value: str) -> str:
    """Return a date with its preposition: 'on 8 June 2001', 'in 1956', 'from 1780 to 1830' stays as it is."""
    first = value.split()[0].lower() if value.split() else ""
    if first in PREPOSITIONS | {"between", "every", "late", "early"} or not find_dates(value):
        return f"in {value}" if first in {"late", "early"} else value
    if re.search(r"\d[–-]\d", value):
        return f"in {value}"
    date = answer_date(value)
    on = date is not None and date.precision in (DatePrecision.DAY, DatePrecision.MONTH_DAY)
    return f"on {value}" if on else f"in {value}"


def _when(question: Question, value: str, analysis: Analysis) -> str | None:
    if not find_dates(value) or (len(find_dates(value)) > 1 and not re.search(r"\d[–-]\d|between|from", value)):
        return None
    return _adjunct(question, dated(value))


def _where(question: Question, value: str, analysis: Analysis) -> str | None:
    first = value.split()[0].lower()
    placed = value if first in PREPOSITIONS else f"in {value}"
    if re.search(r"\b(?:stadium|airport|university|college|park|arena|theatre)\b", value.lower()):
        placed = f"at {value}" if first not in PREPOSITIONS else value
    if re.search(r"\b(?:from|to)$", question.body):
        stripped = re.sub(r"^in ", "", placed)
        made = _adjunct(question, "")
        last = question.body.split()[-1]
        if made is None:
            return None
        return f"{made.strip()} {stripped}" if made.strip().endswith(last) else f"{made.strip()} {last} {stripped}"
    return _adjunct(question, placed)


def _what(question: Question, value: str, analysis: Analysis) -> str | None:
    focus = question.focus
    if focus is None:
        return _subject(question, value, analysis)
    if re.fullmatch(r"(?:year|date|month|day|decade|century)(?: of .*)?", focus.lower()):
        return _when(question, value, analysis)
    if question.auxiliary is None:
        if not question.body or question.verb is None or analysis.answer_type is AnswerType.NUMBER:
            return None
        return f"{value} {question.body}"
    if question.auxiliary in _DO:
        return _object(question, value)
    if question.auxiliary in _BE and verb_tags((question.body.split() or [""])[0].lower()) & {"VBN", "VBG"}:
        return f"{value} {question.auxiliary} {question.body}"
    return None


def _count(question: Question, value: str, analysis: Analysis) -> str | None:
    focus = question.focus or ""
    noun = "" if any(w in value.lower() for w in focus.lower().split()[:1]) else focus
    amount = f"{value} {noun}".strip()
    if question.auxiliary in _BE and question.body.lower().startswith("there"):
        return f"there {question.auxiliary} {amount} {question.body[5:].strip()}".strip()
    if question.auxiliary in _DO:
        return _object(question, amount)
    if question.auxiliary is None and question.verb:
        return f"{amount} {question.body}"
    return None


def _measure(question: Question, value: str, analysis: Analysis) -> str | None:
    if question.auxiliary not in _BE:
        return None
    subject, found, clause = question.body.partition(" when ")
    tail = f" when {clause}" if found else ""
    unit = re.search(r"\s+in (?:meters|metres|feet|miles|km|inches)$", subject)
    subject = subject[: unit.start()] if unit else subject
    if len(_words(subject)) > 6:
        return None
    return f"{subject} {question.auxiliary} {value}{tail}"


_STATERS = {
    WhWord.WHO: _subject,
    WhWord.WHAT: _what,
    WhWord.WHICH: _what,
    WhWord.WHEN: _when,
    WhWord.WHERE: _where,
    WhWord.HOW_MANY: _count,
    WhWord.HOW_MUCH: _count,
    WhWord.HOW_OLD: _measure,
    WhWord.HOW_LONG: _measure,
}
