"""False premises: a frame before or inside the question, a question about its subject, or a statement of the passages.

What is presupposed stands in the lever's frames, or is a sentence of the passages in which one fact was exchanged.
"""

import re
from typing import Final

from demur.levers.frames import Frame, Kind, Slot
from demur.rules.edits.casing import in_register
from demur.rules.edits.clauses import embedded
from demur.rules.edits.text import replace_span
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.other_times import other_times
from demur.rules.rivals import exchanged, find_rival
from demur.rules.topics import SharedName, topics
from demur.text.analysis import Analysis, PassageAnalysis, leans_back
from demur.text.dates import DatePrecision, moved
from demur.text.kinds import gender_of
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, verb_tags
from demur.text.names import find_names
from demur.text.questions import WhWord, content_words
from demur.text.spans import Sentence, Span

_ASIDE: Final = "The question asks what it asked; what is presupposed plays no part in the answer."
_NO_ANSWER: Final = "No accepted answer fits the question, since what it presupposes does not hold."
_HE: Final = {"male": ("he", "his"), "female": ("she", "her")}


def _asked(pull: Pull, text: str, why: str, note: str) -> Draft:
    return Draft(in_register(pull.analysis.question, text), reasoning=why, answer_note=note)


def _framed(pull: Pull, *, about: tuple[SharedName, ...]) -> tuple[Frame, SharedName] | None:
    """Return a frame of the lever and the first topic whose kind it takes; None where none fits."""
    for topic in about:
        frame = pull.frame(topic.kind, *(() if _pronouns(topic) else (Slot.HE, Slot.HIS)))
        if frame is not None:
            return frame, topic
    return None


def _pronouns(topic: SharedName) -> tuple[str, str] | None:
    return _HE.get(gender_of(topic.bare) or "") if topic.kind is Kind.PERSON else None


def _filled(pull: Pull, frame: Frame, topic: SharedName | None, **more: str) -> str:
    """Fill a frame with the topic, its pronouns, and numbers and years of the passages."""
    he, his = (_pronouns(topic) if topic else None) or ("", "")
    name = topic.name if topic else ""
    return fill(
        frame,
        topic=f"the{name[3:]}" if name.startswith("The ") else name,
        name=re.sub(r"^The ", "", topic.bare) if topic else "",
        he=he,
        his=his,
        number=str(pull.rng.randint(3, 9)),
        **more,
    )


def _opened(pull: Pull, frame: Frame | None, topic: SharedName | None) -> Draft | Declined:
    """Put an opening with a presupposition before the question, whose words all stay."""
    question = pull.analysis.question
    if question.wh is WhWord.NONE:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    year = _year_beside(pull, topic)
    if frame is None or Slot.YEAR in frame.slots and (year is None or _TIMED.search(question.text)):
        return Declined(DeclineReason.NO_TOPIC)
    asked = _filled(pull, frame, topic, question=embedded(question.bare), year=str(year))
    return _asked(pull, asked, "An opening presupposes what is not so.", _ASIDE)


@operator("false_premise.lead_in", Slot.QUESTION, Slot.TOPIC, Slot.NUMBER, Slot.YEAR)
def lead_in(pull: Pull) -> Draft | Declined:
    """Put an opening about a name of the question before it, where it asks at once and not for a yes or no."""
    question = pull.analysis.question
    if not question.fronted or question.wh is WhWord.YES_NO:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    return _opened(pull, *(_framed(pull, about=topics(pull.analysis)) or (None, None)))


_CHANGES: Final = re.compile(
    r"\b(?:how long (?:has|have)|has|have|current\w*|now|latest|newest|most|last|next|today|still|so far|population)\b",
    re.IGNORECASE,
)


@operator("false_premise.source_lead_in", Slot.QUESTION, Slot.NUMBER, last=True)
def source_lead_in(pull: Pull) -> Draft | Declined:
    """Put an opening about the text itself before a question whose answer no later edition would change."""
    if _CHANGES.search(pull.analysis.question.text):
        return Declined(DeclineReason.ANSWER_TYPE, "what is asked changes with time")
    return _opened(pull, pull.frame(), None)


@operator("false_premise.aside", Slot.TOPIC, Slot.NUMBER, Slot.YEAR)
def aside(pull: Pull) -> Draft | Declined:
    """Put a false aside in commas after a name of the question."""
    analysis = pull.analysis
    text = pull.analysis.question.bare
    closed = tuple(t for t in topics(analysis) if _is_closed(analysis, t))
    found = _framed(pull, about=closed)
    if found is None:
        return Declined(DeclineReason.NO_TOPIC, "no name of a known kind after which something could be put in")
    frame, topic = found
    year = _year_beside(pull, topic)
    if Slot.YEAR in frame.slots and (year is None or _TIMED.search(text)):
        return Declined(DeclineReason.NOTHING_PERIPHERAL)
    said = _filled(pull, frame, topic, year=str(year))
    end = topic.span.end + (text[topic.span.end : topic.span.end + 1] in {'"', "”"})
    tail = text[end:]
    comma = "," if tail.strip() and not tail.lstrip().startswith(",") else ""
    return _asked(pull, f"{text[:end]}, {said}{comma}{tail}", "An aside says what is not so.", _ASIDE)


_TIMED: Final = re.compile(r"\b(?:when|year|date|old|older|younger|first|last|\d{4})\b", re.IGNORECASE)


_FREE: Final = AUXILIARIES | (PREPOSITIONS - {"of", "for", "with"}) | {"when", "while"}


def _is_closed(analysis: Analysis, topic: SharedName) -> bool:
    """Return whether a name ends its noun phrase, so that an aside can follow it."""
    text = analysis.question.bare
    if not topic.span:
        return False
    before = text[: topic.span.start]
    tail = text[topic.span.end :].lstrip('"”')
    if re.search(r"(?:\b(?:called|named|titled|entitled|word|name|term|in|at|on|from|to)|[-/])[ \"“]*$", before):
        return False
    if not tail.strip():
        return True
    following = re.match(r"(,)? ?([A-Za-z']+)", tail)
    if following is None or tail.startswith(("'", "’", "-", "–", ":")):
        return False
    word = following[2].lower()
    return word in _FREE and not following[1]


def _year_beside(pull: Pull, topic: SharedName | None) -> int | None:
    """Return a year close to those that stand with a topic, which no passage gives."""
    known = set(pull.analysis.years)
    years = {d.year for p in pull.analysis.signal for d in p.dates if d.year and (not topic or topic.bare in p.text)}
    near = {y + by for y in years for by in (-4, -3, -2, 2, 3) if y + by not in known and y + by <= max(known)}
    return pull.rng.choice(sorted(near)) if near else None


@operator("false_premise.about_topic", Slot.TOPIC, Slot.NAME, Slot.NUMBER, Slot.HE, Slot.HIS)
def about_topic(pull: Pull) -> Draft | Declined:
    """Ask a question of the lever's about a name of the question, instead of what was asked."""
    found = _framed(pull, about=topics(pull.analysis))
    if found is None:
        return Declined(DeclineReason.NO_TOPIC, "the question names nothing of a kind that the lever has a frame for")
    return _asked(pull, _filled(pull, *found), f"The question is about what {found[1].name} does not have.", _NO_ANSWER)


_LEFT: Final = re.compile(r"\b(?:resign|retire|abdicat|withdr|stepped down|quit|gave up|left)\w*", re.IGNORECASE)
_DEAD: Final = re.compile(
    r"[–—-] ?\d|\b(?:died|death|killed|buried|late|posthumous\w*|assassinat\w*|murder\w*)\b", re.IGNORECASE
)
_BORN: Final = re.compile(r"\(born|\bborn (?:on|in)\b|\(b\. ")
_FOLLOWED: Final = re.compile(r"\b(?:sequel|prequel|spin-off|second|third|II|2|trilogy|franchise|follow-?up|remake)\b")


def _of_kind(pull: Pull, *kinds: Kind) -> tuple[SharedName, ...]:
    return tuple(t for t in topics(pull.analysis) if t.kind in kinds)


def _passages_naming(analysis: Analysis, topic: SharedName) -> str:
    """Return the passages that name a topic, as one text."""
    return "\n".join(p.text for p in analysis.passages if topic.bare.split()[-1] in p.text)


@operator("false_premise.withdrawal", Slot.TOPIC, Slot.HE, Slot.HIS)
def withdrawal(pull: Pull) -> Draft | Declined:
    """Ask about a person's giving up of which the passages know nothing."""
    people = tuple(t for t in _of_kind(pull, Kind.PERSON) if not _LEFT.search(_passages_naming(pull.analysis, t)))
    found = _framed(pull, about=people)
    if found is None:
        return Declined(DeclineReason.NO_TOPIC, "no person of whom no giving up is told")
    return _asked(pull, _filled(pull, *found), "A withdrawal is presupposed that the passages do not know.", _NO_ANSWER)


@operator("false_premise.burial", Slot.TOPIC, Slot.HE, Slot.HIS)
def burial(pull: Pull) -> Draft | Declined:
    """Ask for the grave of a person whom the passages show alive."""
    people = []
    for topic in _of_kind(pull, Kind.PERSON):
        named = _passages_naming(pull.analysis, topic)
        if _BORN.search(named) and not _DEAD.search(named):
            people.append(topic)
    found = _framed(pull, about=tuple(people))
    if found is None:
        return Declined(DeclineReason.NO_TOPIC, "no person whom the passages show alive")
    return _asked(pull, _filled(pull, *found), "The passages show the person alive.", _NO_ANSWER)


@operator("false_premise.sequel", Slot.TOPIC, Slot.NUMBER)
def sequel(pull: Pull) -> Draft | Declined:
    """Ask about a sequel or a further one of a work of which the passages know one only."""
    works = tuple(
        t
        for t in topics(pull.analysis)
        if t.kind in (Kind.FILM, Kind.BOOK, Kind.SONG, Kind.ALBUM, Kind.GAME, Kind.SHOW)
        and not _FOLLOWED.search(_passages_naming(pull.analysis, t))
    )
    found = _framed(pull, about=works)
    if found is None:
        return Declined(DeclineReason.NO_TOPIC, "no work of which a further one could be presupposed")
    return _asked(
        pull, _filled(pull, *found), "A further work is presupposed that the passages do not know.", _NO_ANSWER
    )


_LONGEST: Final = 24
_LONGEST_ASIDE: Final = 16
_LEANING: Final = re.compile(
    r"(?:\S+ ){0,6}(?:he|she|it|they|his|her|its|their|this|these|also|both)\b"
    r"|(?:However|Although|While|But|And|Thus|Then|For|Meanwhile|Today|Since|As)\b",
    re.IGNORECASE,
)
"""Openings of sentences that say nothing without the sentence before them, or that no 'that' can go before."""


def _clause(analysis: Analysis, text: str) -> str | None:
    """Return a sentence as a clause after 'that', without brackets; None where it leans on others or is too long."""
    text = re.sub(r" ?\([^()]*\)", "", text)
    whole = re.match(r"[A-Z]", text) and text.endswith(".") and not re.search(r"[\"“”();:?]| - |\n", text)
    if not whole or _leans(analysis, text) or not 5 <= len(text.split()) <= _LONGEST:
        return None
    first = text.split()[0].lower()
    named = any(name.span.start == 0 for name in find_names(text))
    if not named and verb_tags(first) & {"VBN", "VBG", "VB"}:
        return None
    return (text if named else embedded(text)).rstrip(".")


def _leans(analysis: Analysis, text: str) -> bool:
    """Return whether a sentence points back: with a pronoun, or with 'the' before what the question does not name."""
    if _LEANING.match(text):
        return True
    opening = text.split()[1:6]
    asked = content_words(analysis.question.text)
    resumed = any(w[0].isupper() for w in opening) or content_words(" ".join(opening)) & asked
    return leans_back(text) and not (text.startswith("The ") and resumed)


def _answering(pull: Pull) -> tuple[PassageAnalysis, Sentence] | None:
    """Return the sentence that answers and shares most with the question."""
    analysis = pull.analysis
    asked = content_words(analysis.question.text)
    least = min(2, len(asked))
    found = [(p, s) for p in analysis.signal for s in p.answer_sentences if len(asked & content_words(s.text)) >= least]
    return max(found, key=lambda one: len(asked & content_words(one[1].text)), default=None)


@operator("false_premise.wrong_statement", Slot.CLAUSE)
def wrong_statement(pull: Pull) -> Draft | Declined:
    """Ask on from the sentence that answers, with another value in the answer's place."""
    analysis = pull.analysis
    found = _answering(pull)
    rival = find_rival(analysis, pull.corpus, pull.rng)
    if found is None or rival is None:
        return Declined(DeclineReason.NO_RIVAL)
    text = exchanged(analysis, found[1].text, rival)
    clause = _clause(analysis, text) if text else None
    frame = pull.frame(rival.kind)
    if clause is None or frame is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the sentence that answers cannot be embedded")
    return _asked(pull, fill(frame, clause=clause), "The question goes on from a wrong value.", _NO_ANSWER)


@operator("false_premise.withdrawn_statement", Slot.CLAUSE)
def withdrawn_statement(pull: Pull) -> Draft | Declined:
    """Ask about a change to the sentence that answers, which was never changed."""
    found = _answering(pull)
    frame = pull.frame()
    clause = _clause(pull.analysis, found[1].text) if found else None
    if clause is None or frame is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the sentence that answers cannot be embedded")
    return _asked(pull, fill(frame, clause=clause), "A change is presupposed that was never made.", _NO_ANSWER)


@operator("false_premise.wrong_detail", Slot.CLAUSE, Slot.QUESTION)
def wrong_detail(pull: Pull) -> Draft | Declined:
    """Put a sentence of the passages with a wrong year before the question, which does not need it."""
    analysis = pull.analysis
    frame = pull.frame()
    question = analysis.question
    if frame is None or question.wh is WhWord.NONE or _TIMED.search(question.text):
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    clauses = [
        clause
        for p in analysis.signal
        for s in p.sentences
        if (text := _misdated(pull, p, s)) is not None and (clause := _clause(analysis, text)) is not None
        if len(clause.split()) <= _LONGEST_ASIDE
    ]
    if not clauses:
        return Declined(DeclineReason.NOTHING_PERIPHERAL, "no statement beside the answer stands alone")
    asked = fill(frame, clause=pull.rng.choice(clauses), question=embedded(question.bare))
    return _asked(pull, asked, "A side detail of the passages is stated with a wrong year.", _ASIDE)


_MOVED: Final = frozenset({DatePrecision.YEAR, DatePrecision.MONTH, DatePrecision.DAY})


def _misdated(pull: Pull, passage: PassageAnalysis, sentence: Sentence) -> str | None:
    """Return a sentence without the answer, its one year moved by a few; None where it has none or several."""
    dates = [d for d in passage.dates if sentence.span.covers(d.span) and d.year]
    answers = any(sentence.span.overlaps(a.span) for a in passage.answers)
    if len(dates) != 1 or answers or dates[0].precision not in _MOVED:
        return None
    moves = other_times(dates[0], pull.analysis.years)
    if not moves or re.search(r"[-–—/(]$", passage.text[: dates[0].span.start]):
        return None
    at = Span(dates[0].span.start - sentence.span.start, dates[0].span.end - sentence.span.start)
    move = pull.rng.choice(moves)
    new = moved(dates[0], years=move.years, months=move.months)
    given = any(new in p.text for p in pull.analysis.passages)
    bracketed = sentence.text[: at.start].count("(") > sentence.text[: at.start].count(")")
    return None if given or bracketed else replace_span(sentence.text, at, new)
