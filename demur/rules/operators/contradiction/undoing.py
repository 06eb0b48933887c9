"""Statements that undo what answers without another value: a denial, a condition that fails, a time out of order."""

import re
from typing import Final

from demur.levers.frames import Slot
from demur.levers.vocabulary import Layout
from demur.rules.operators.contradiction.copying import (
    Original,
    bears,
    copied,
    is_whole,
    original_of,
)
from demur.rules.operators.contradiction.deciding import compares
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.operators.stated import Place, place_of
from demur.text.analysis import leans_back
from demur.text.answers import find_answers
from demur.text.dates import DatePrecision, find_dates
from demur.text.kinds import DATED
from demur.text.lexicon import verb_lemma, verb_tags
from demur.text.quantities import find_numbers
from demur.text.questions import WhWord, content_words

_ELSE: Final = {WhWord.WHO: "somebody else", WhWord.WHERE: "somewhere else"}
_OTHER_TIME: Final = {
    DatePrecision.DAY: "on another day", DatePrecision.MONTH: "in another month", DatePrecision.YEAR: "in another year",
}  # fmt: skip
_LONGEST: Final = 24
"""Words of a sentence on which another is made to depend."""
_PREPOSITION: Final = re.compile(r"(?P<it>by|in|on|at|from|with|to|for|into) $")
_VERB: Final = re.compile(r"\b(?:is|are|was|were|plays|played|sings|sang|wrote|won) $")
_HAPPENS: Final = r"\b(?:{verbs})\b[^,;.]{{0,60}}$"


def denied(pull: Pull, original: Original) -> tuple[str, str] | None:
    """Return what is copied with 'not A but another' for the answer A, and what stands for the other one."""
    place = place_of(pull.analysis)
    if place is None or place.passage is not original.source or place.sentence.text not in original.text:
        return None
    other = _other(pull, place)
    said = _not(place, other) if other is not None else None
    if other is None or said is None:
        return None
    return original.text.replace(place.sentence.text, said, 1), other


def _other(pull: Pull, place: Place) -> str | None:
    if place.kind in DATED:
        dates = find_dates(place.answer)
        return _OTHER_TIME.get(dates[0].precision) if len(dates) == 1 else None
    return _ELSE.get(pull.analysis.question.wh) if not re.search(r"\d", place.answer) else None


def _not(place: Place, other: str) -> str | None:
    """Return the answering sentence with the answer denied where it stands: 'not by A but by somebody else'."""
    before = place.before
    after = place.after
    at = _PREPOSITION.search(before)
    if not re.match(r" [a-z]|[;.]|, (?:and|but|with)\b", after) or re.match(r" (?:who|which|that|where)\b", after):
        return None
    if place.kind in DATED:
        return f"{before[: at.start()]}not {at['it']} {place.answer} but {other}{after}" if at is not None else None
    if at is not None and other == "somewhere else":
        return f"{before[: at.start()]}not {at['it']} {place.answer} but {other}{after}"
    if at is not None and other == "somebody else":
        return f"{before[: at.start()]}not {at['it']} {place.answer} but {at['it']} {other}{after}"
    if not before.strip() and re.match(r" [a-z]", after) and other != "somewhere else":
        return f"Not {place.answer} but {other}{after}"
    if _VERB.search(before) and other == "somebody else":
        return f"{before}not {place.answer} but {other}{after}"
    return None


_AUXILIARY: Final = re.compile(
    r"(?<=[\w)\"”,] )(?P<it>is|are|was|were|has|have|had|can|could|will)(?= (?P<next>[a-z]+))"
)
_PERFECT: Final = frozenset({"has", "have", "had"})
_SUBJECT: Final = re.compile(
    r"(?:^|^(?:In|On|At|During|After|By|Between) [^,]{3,60}, )"
    r"(?:(?:It|He|She|They|it|he|she|they)|(?:[Tt]he )?(?:[A-Z][\w'’.-]+ ){0,3}[A-Z][\w'’-]+) (?P<verb>[a-z]+)(?= )"
)
_CLAUSE: Final = re.compile(
    r"\b(?:that|which|who|whom|whose|when|where|while|if|because|although|though|since|until|whether|than|but|another|so|"
    r"also|as|some|many|most|more|only|all|every|each|both|either|not|never|no)\b|[;:,]|—",
    re.IGNORECASE,
)
"""What stands between a verb and the answer where a negation may bear on something else than what is asked."""
_JOINED: Final = re.compile(r"\band (?:[a-z]+ly )?(?P<next>[a-z]+)")
_QUANTIFIED: Final = re.compile(
    r"\b(?:not|never|no|none|neither|nor|all|every|each|only|both|either|whether)\b", re.IGNORECASE
)
_FAR: Final = 12
"""Words between a negated verb and the answer at most."""


def negated(sentence: str, answers: tuple[str, ...]) -> str | None:
    """Return a sentence with the verb before the answer denied; None where that may not deny what is asked."""
    mention = next(iter(find_answers(sentence, answers)), None)
    if mention is None or sentence[: mention.span.start].count('"') % 2:
        return None
    auxiliary = _auxiliary(sentence[: mention.span.start])
    subject = _SUBJECT.match(sentence)
    if auxiliary is not None and auxiliary["next"].endswith("ly"):
        return None  # only how it is done would be denied
    if auxiliary is not None:
        start = at = auxiliary.end("it")
        said = f"{sentence[:at]} not{sentence[at:]}".replace(" can not ", " cannot ")
    elif subject is not None and _is_past(subject["verb"]) and not sentence[subject.end() :].startswith(" by "):
        start, at = subject.span("verb")
        said = f"{sentence[:start]}did not {verb_lemma(subject['verb'])}{sentence[at:]}"
    else:
        return None
    between = sentence[at : mention.span.start]
    joined = any({"VBD", "VBZ"} & verb_tags(found["next"]) for found in _JOINED.finditer(between))
    held = between.count("(") == between.count(")") and not joined and not _CLAUSE.search(between)
    described = re.search(r"[^,] (?:who|which|that)\b", sentence[mention.span.end - 1 :]) is not None
    near = mention.span.start > at and len(between.split()) <= _FAR and not find_numbers(between)
    return said if held and near and not described and not _QUANTIFIED.search(sentence[:start]) else None


def _auxiliary(before: str) -> re.Match[str] | None:
    """Return the last verb before the answer that 'not' can stand behind."""
    found = [
        m
        for m in _AUXILIARY.finditer(before + "x")
        if m["it"] not in _PERFECT or m["next"] == "been" or "VBN" in verb_tags(m["next"])
    ]
    return found[-1] if found else None


def _is_past(verb: str) -> bool:
    """Return whether a word is a verb's past tense and nothing else."""
    return "VBD" in verb_tags(verb) and not {"VB", "VBZ"} & verb_tags(verb) and verb_lemma(verb) is not None


def negated_copy(pull: Pull) -> tuple[Original, str] | None:
    """Return what answers, with a copy in which its verb is denied."""
    analysis = pull.analysis
    original = original_of(pull)
    stated = analysis.answer_sentence
    if original is None or stated is None or compares(analysis) or stated.text not in original.source.text:
        return None
    denied_one = negated(stated.text, analysis.base.answers) if is_whole(stated.text) else None
    if denied_one is None or not bears(analysis, stated.text) or stated.text not in original.text:
        return None
    return original, original.text.replace(stated.text, denied_one, 1)


@operator("contradiction.two_states", Slot.COPY, Slot.NAME)
def two_states(pull: Pull) -> Draft | Declined:
    """Give what answers once more with its verb denied, as a text does that was put together from two reports."""
    found = negated_copy(pull)
    if found is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    return copied(pull, *found, "What answers stands once more, denied.", "It is affirmed and denied alike.")


@operator("contradiction.failing_condition", Slot.SENTENCE, Slot.OTHER, last=True)
def failing_condition(pull: Pull) -> Draft | Declined:
    """Tie what answers to another statement of the passage by 'if and only if', of which one holds and one does not."""
    analysis = pull.analysis
    passage = pull.analysis.main
    stated = analysis.answer_sentence
    frame = pull.frame()
    single = analysis.base.layout is Layout.SINGLE
    if frame is None or stated is None or len(analysis.answering) > 1 or not is_whole(stated.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    if single and original_of(pull) is None or compares(analysis) or not bears(analysis, stated.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    asked = content_words(analysis.question.text)
    others = [
        s
        for s in passage.sentences
        if is_whole(s.text)
        and len(s.text.split()) <= 24
        and s not in passage.answer_sentences
        and not leans_back(s.text)
    ]
    if any(len(asked & content_words(s.text)) >= max(2, len(asked) / 2) for s in passage.sentences if s != stated):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "another sentence tells what is asked")
    other = min(others, key=lambda s: (len(asked & content_words(s.text)), len(s.text)), default=None)
    if other is None or len(stated.text.split()) > 30 or '"' in stated.text + other.text:
        return Declined(DeclineReason.PASSAGE_TOO_SHORT)
    said = fill(frame, sentence=stated.text.rstrip("."), other=other.text.rstrip("."))
    text = f"{passage.text.rstrip()} {said}"
    return Draft(analysis.question.text, {passage.index: text}, "A condition of what answers holds, and it does not.")


@operator("contradiction.impossible_order", Slot.NUMBER)
def impossible_order(pull: Pull) -> Draft | Declined:
    """Put behind the date that answers that the thing had come to its end before: 'opened in 1811, after it closed'."""
    place = place_of(pull.analysis)
    if place is None or place.kind not in DATED or len(pull.analysis.answering) > 1:
        return Declined(DeclineReason.ANSWER_TYPE)
    if not re.match(r"[,;.]| [a-z]", place.after):
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    fitting = []
    for frame in pull.frames():
        verbs, _, said = frame.text.partition(" -> ")
        if re.search(_HAPPENS.format(verbs=verbs), place.before):
            fitting.append((frame, verbs, said))
    if not fitting:
        return Declined(DeclineReason.NO_FRAME)
    frame, verbs, _ = pull.rng.choice(fitting)
    text = fill(frame, number=pull.rng.choice(("two", "three", "five", "six"))).removeprefix(f"{verbs} -> ")
    comma = "" if place.after[:1] in ",;." else ","
    sentence = f"{place.before}{place.answer}, {text}{comma}{place.after}"
    return Draft(pull.analysis.question.text, place.with_sentence(sentence), "What is asked ended before it began.")
