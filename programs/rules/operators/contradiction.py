"""Contradictions: what answers once more, with the answer exchanged for another value of its kind, as a second source.

With one passage the answering sentence is copied, and the frame stands at the passage's end. With several a signal
passage is copied whole, as retrieval brings up a second version of an entry, in the place of a noise passage.
"""

import random
import re
from dataclasses import dataclass
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.levers.vocabulary import Layout
from demur.programs.rules.edits.text import insert_sentence, replace_span
from demur.programs.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.programs.rules.rivals import Rival, exchanged, find_rival, other_times
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import find_answers
from demur.programs.text.dates import DatePrecision, moved
from demur.programs.text.kinds import entry_name
from demur.programs.text.quantities import NumberKind, written_like
from demur.programs.text.questions import content_words
from demur.programs.text.spans import Span
from demur.programs.text.tokens import fold

_SLOTS: Final = (Slot.COPY, Slot.SENTENCE, Slot.ANSWER, Slot.RIVAL, Slot.NAME, Slot.EARLIER, Slot.LATER)
_LONGEST: Final = 40
"""Words of a sentence that is copied."""
_AROUND: Final = 12
"""Words on either side of the answer that are quoted of a longer sentence."""
_LONGEST_PASSAGE: Final = 180
_EDITIONS: Final = (1994, 1998, 2001, 2003, 2006, 2009)


@dataclass(frozen=True, slots=True)
class _Original:
    """What is copied, and the passage that changes: the same one, or the noise passage that gives way."""

    text: str
    source: PassageAnalysis
    place: PassageAnalysis


def _original(pull: Pull) -> _Original | None:
    """Return what answers, where it can be copied; None where no copy would read well."""
    analysis = pull.analysis
    if analysis.base.layout is Layout.SINGLE:
        found = analysis.answer_sentence
        text = _excerpt(analysis, found.text) if found is not None else None
        sound = text is not None and _bears(analysis, text)
        return _Original(text, analysis.main, analysis.main) if text is not None and sound else None
    sources = [p for p in analysis.signal if p.gives_answer and _is_copyable(analysis, p)]
    if not sources or len(analysis.answering) > 1:  # another passage would decide between the two versions
        return None
    asked = content_words(analysis.question.text)
    source = max(sources, key=lambda p: (len(asked & content_words(p.text)), -p.index))
    places = _places(analysis, source)
    return _Original(source.text, source, pull.rng.choice(places)) if places else None


def _excerpt(analysis: Analysis, text: str) -> str | None:
    """Return a sentence, or of a long one the words around the answer, as somebody quotes it."""
    if _is_whole(text):
        return text
    mentions = find_answers(text, analysis.base.answers)
    if len(text.split()) <= _LONGEST or not mentions or "\n" in text:
        return None
    words = list(re.finditer(r"\S+", text))
    first = next(i for i, w in enumerate(words) if w.end() > mentions[0].span.start)
    last = next(i for i, w in enumerate(words) if w.end() >= mentions[-1].span.end)
    start, end = max(0, first - _AROUND), min(len(words) - 1, last + _AROUND)
    part = text[words[start].start() : words[end].end()]
    balanced = part.count("(") == part.count(")") and part.count('"') % 2 == 0
    if last - first > _AROUND or not balanced or part.count('"'):
        return None
    return f"{'… ' if start else ''}{part.rstrip(',;:')}{' …' if end < len(words) - 1 else ''}"


def _places(analysis: Analysis, source: PassageAnalysis) -> list[PassageAnalysis]:
    """Return the noise passages in whose place a copy of `source` can stand: without the answer, and of like length."""
    size = len(source.text.split())
    return [p for p in analysis.noise if not p.gives_answer and size <= max(2.4 * len(p.text.split()), 60)]


def _is_whole(text: str) -> bool:
    """Return whether a sentence is one, with a beginning and an end, and not too long to be quoted."""
    return (
        re.match(r"[A-Z0-9\"“']", text) is not None
        and re.search(r"[.!?][\"”')]*$", text) is not None
        and 5 <= len(text.split()) <= _LONGEST
        and "\n" not in text
        and text.count('"') % 2 == 0
        and text.count("(") == text.count(")")
    )


def _bears(analysis: Analysis, text: str) -> bool:
    """Return whether a sentence says what is asked: by words of the question, or by its pronoun.

    No word is needed where the answer stands once only and does not open the sentence: then it is told of something
    else, and there is no other sentence that could be meant.
    """
    asked = content_words(analysis.question.text)
    shared = len(asked & content_words(text))
    pronoun = re.match(r"(?:It|He|She|They) ", text) is not None
    pronoun = pronoun and (shared > 0 or len(analysis.main.answer_sentences) == 1)
    mentions = find_answers(text, analysis.base.answers)
    alone = sum(len(p.answers) for p in analysis.signal) == 1 and bool(mentions) and mentions[0].span.start > 2
    return pronoun or alone or shared >= min(2, len(asked))


def _is_copyable(analysis: Analysis, passage: PassageAnalysis) -> bool:
    """Return whether a signal passage tells the answer of something else: it is not the entry on the answer itself."""
    entry = entry_name(passage.text)
    own = entry is not None and analysis.is_answer(entry)
    said = any(analysis.is_answer(s.text) and _bears(analysis, s.text) for s in passage.answer_sentences)
    opens = any(m.span.start < 3 for m in passage.answers)
    return not own and not opens and said and len(passage.text.split()) <= _LONGEST_PASSAGE and "\n" not in passage.text


def _quoted(text: str) -> str:
    """Return a text as it stands between quotation marks: its own become single ones."""
    return re.sub(r"[\"“”]", "'", text)


def _placed(pull: Pull, original: _Original, made: str, why: str, note: str) -> Draft:
    """Return the draft: the frame at the end of the only passage, or in the place of the noise passage."""
    single = pull.analysis.base.layout is Layout.SINGLE
    text = insert_sentence(original.place.text, made) if single else made
    return Draft(pull.analysis.question.text, {original.place.index: text}, why, note)


def _copied(
    pull: Pull, original: _Original, copy: str, why: str, note: str, rival: str = "", kind: Kind | None = None
) -> Draft | Declined:
    """Fill a frame of the lever with a copy and place it."""
    single = pull.analysis.base.layout is Layout.SINGLE
    entry = entry_name(original.source.text)
    frame = pull.frame(kind, *(() if entry else (Slot.NAME,)))
    if frame is None:
        return Declined(DeclineReason.NO_FRAME)
    earlier, later = sorted(pull.rng.sample(_EDITIONS, 2))
    made = fill(
        frame,
        copy=_quoted(copy) if single else copy,
        sentence=_quoted(original.text) if single else original.text,
        answer=_quoted(_said(pull.analysis, original)),
        rival=_quoted(rival),
        name=_mid(entry) if entry else "",
        earlier=str(earlier),
        later=str(later),
    )
    return _placed(pull, original, made, why, note)


def _mid(name: str) -> str:
    """Return a name as it stands in a sentence: 'the Philadelphia Eagles'."""
    return f"the{name[3:]}" if name.startswith("The ") else name


def _said(analysis: Analysis, original: _Original) -> str:
    """Return the answer as what is copied writes it first in full."""
    said = [m for m in original.source.answers if m.text in original.text]
    return max((m.text for m in said), key=len, default=analysis.answer)


def _rivalled(pull: Pull, note: str, factor: float = 0.0) -> Draft | Declined:
    """Copy what answers with the answer exchanged."""
    rival = find_rival(pull.analysis, pull.corpus, pull.rng, factor=factor)
    if rival is None:
        return Declined(DeclineReason.NO_RIVAL)
    original = _original(pull)
    if original is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing that answers can be copied")
    copy, other = exchanged(pull.analysis, original.text, rival), _other(pull.analysis, original, rival)
    if copy is None or other is None or fold(other) in fold(original.source.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the answer cannot be exchanged as it is written")
    why = f"The passage that answers is given once more with {other} instead of the answer."
    return _copied(pull, original, copy, why, note, other, rival.kind)


def _other(analysis: Analysis, original: _Original, rival: Rival) -> str | None:
    return rival.value(_said(analysis, original))


@operator("contradiction.second_source", *_SLOTS)
def second_source(pull: Pull) -> Draft | Declined:
    """Give what answers once more, by a source of equal rank, with another value."""
    return _rivalled(pull, "Both values are stated, and nothing says which of them holds.")


@operator("contradiction.weaker_source", *_SLOTS)
def weaker_source(pull: Pull) -> Draft | Declined:
    """Give what answers once more with another value, by a source that the frame marks as withdrawn or as hearsay."""
    return _rivalled(pull, "The passage keeps its statement; the other one is marked as not to be relied on.")


@operator("contradiction.other_magnitude", *_SLOTS)
def other_magnitude(pull: Pull) -> Draft | Declined:
    """Give the asked figure once more, whole orders of magnitude apart."""
    factor = pull.rng.choice((100.0, 1000.0))
    return _rivalled(pull, "The two figures are whole orders of magnitude apart and stand for the same thing.", factor)


_LOOK_ALIKE: Final = {
    "l": "1",
    "o": "0",
    "i": "1",
    "e": "c",
    "s": "5",
    "a": "u",
    "b": "6",
    "B": "8",
    "O": "0",
    "S": "5",
}
_DIGITS: Final = {"0": "O", "1": "l", "5": "S", "8": "B"}


@operator("contradiction.scanned_copy", *_SLOTS, last=True)
def scanned_copy(pull: Pull) -> Draft | Declined:
    """Give what answers once more as a scanner read it, the answer garbled."""
    original = _original(pull)
    if original is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing that answers can be copied")
    copy = original.text
    mentions = [m.text for m in original.source.answers if m.text in copy]
    for text in sorted(set(mentions), key=len, reverse=True):
        garbled = _garbled(text, pull.rng)
        if garbled is None:
            return Declined(DeclineReason.ANSWER_TYPE, "the answer has no characters that a scanner confuses")
        copy = copy.replace(text, garbled)
    if not mentions or pull.analysis.is_answer(copy):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN)
    note = "The clean statement stays, and the garbled one is said to be a scan."
    return _copied(pull, original, copy, "What answers is given once more as a scanner misread it.", note)


def _garbled(text: str, rng: random.Random) -> str | None:
    """Return a text with two characters exchanged for others that look alike, one where it has only one."""
    at = [i for i, c in enumerate(text) if i and (c in _LOOK_ALIKE or c in _DIGITS)]
    if not at or len(text) < 3:
        return None
    chars = list(text)
    for i in rng.sample(at, min(2, len(at))):
        chars[i] = _LOOK_ALIKE.get(chars[i]) or _DIGITS[chars[i]]
    return "".join(chars)


_HEDGED = re.compile(
    r"\b(?:about|around|over|under|nearly|almost|roughly|some|than|least|most|approximately|exactly|to|of|between|"
    r"from|and|or|No\.|number|chapter|season|episode|route|highway|the)\s*[$£€]?$",
    re.IGNORECASE,
)


_SIDE_NOTE: Final = "The answer stays as it is, in both versions; what differs beside it is not asked for."
_COMPARED: Final = re.compile(
    r"\b(?:older|younger|first|earlier|later|more|most|both|same|longer|larger|than)\b", re.IGNORECASE
)
_MOVED: Final = frozenset({DatePrecision.YEAR, DatePrecision.MONTH, DatePrecision.DAY})
_TIMED: Final = re.compile(r"\b(?:when|year|date|old|how many|how much|how long)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Detail:
    """A figure or a year beside the point, and what it is exchanged for."""

    passage: PassageAnalysis
    span: Span
    new: str


def _is_spare(analysis: Analysis, passage: PassageAnalysis, span: Span) -> bool:
    """Return whether a figure is neither asked for nor named in the question nor a part of the answer."""
    asked = analysis.question.text
    return (
        span.of(passage.text) not in asked
        and not any(span.overlaps(m.span) for m in passage.answers)
        and not (analysis.base.layout is Layout.MULTI and _COMPARED.search(asked))
    )


def _figures(analysis: Analysis) -> list[_Detail]:
    """Return exact figures of the signal passages with their values rounded to two digits."""
    found = []
    for passage in analysis.signal:
        for number in passage.numbers:
            exact = number.value >= 1000 and number.text.replace(",", "").isdigit()
            exact = exact and rounded_off(number.value) != number.value
            plain = number.kind in (NumberKind.CARDINAL, NumberKind.MEASURE) and number.unit is not None
            dated = any(d.span.overlaps(number.span) for d in passage.dates)
            hedged = _HEDGED.search(passage.text[: number.span.start]) is not None
            listed = re.match(r"\s?(?:[-–,/]\s?\d|\()", passage.text[number.span.end :]) is not None
            if exact and plain and not (dated or hedged or listed) and _is_spare(analysis, passage, number.span):
                found.append(_Detail(passage, number.span, written_like(rounded_off(number.value), number)))
    return found


def _years(analysis: Analysis, rng: random.Random) -> list[_Detail]:
    """Return years of the signal passages that nobody asks for, moved a little."""
    if _TIMED.search(analysis.question.text):
        return []
    found = []
    for passage in analysis.signal:
        for date in passage.dates:
            alone = date.year is not None and date.precision in _MOVED and passage.text.count(str(date.year)) == 1
            ranged = re.search(r"[-–—/(]\s?$", passage.text[: date.span.start]) or re.match(
                r"\s?[-–—/)]", passage.text[date.span.end :]
            )
            if alone and not ranged and _is_spare(analysis, passage, date.span):
                days = [(d.year, d.month, d.day or 0) for d in passage.dates if d.year and d.month]
                moves = other_times(date, analysis.years, days)
                if moves:
                    found.append(_Detail(passage, date.span, moved(date, **rng.choice(moves))))
    return found


def _beside(pull: Pull, details: list[_Detail], why: str) -> Draft | Declined:
    """Copy the sentence, or with several passages the whole one, in which a side detail stands, with it exchanged."""
    single = pull.analysis.base.layout is Layout.SINGLE
    usable = []
    for detail in details:
        sentence = detail.passage.sentence_at(detail.span)
        if single and _is_whole(sentence.text):
            at = Span(detail.span.start - sentence.span.start, detail.span.end - sentence.span.start)
            usable.append((_Original(sentence.text, detail.passage, detail.passage), at, detail.new))
        elif not single and len(detail.passage.text.split()) <= _LONGEST_PASSAGE and "\n" not in detail.passage.text:
            size = len(detail.passage.text.split())
            places = [
                p for p in pull.analysis.noise if not p.gives_answer and size <= max(2.4 * len(p.text.split()), 60)
            ]
            if places:
                place = pull.rng.choice(places)
                usable.append((_Original(detail.passage.text, detail.passage, place), detail.span, detail.new))
    if not usable:
        return Declined(DeclineReason.NOTHING_PERIPHERAL, "no detail beside the answer can be given twice")
    original, span, new = pull.rng.choice(usable)
    copy = replace_span(original.text, span, new)
    return _copied(pull, original, copy, why, _SIDE_NOTE, new)


def rounded_off(value: float) -> float:
    """Return a number with two significant digits."""
    return float(f"{value:.2g}")


@operator("contradiction.rounded_figure", Slot.COPY, Slot.RIVAL, Slot.NAME)
def rounded_figure(pull: Pull) -> Draft | Declined:
    """Give a figure that is not asked for once more, rounded."""
    return _beside(pull, _figures(pull.analysis), "A side figure is given once more, rounded.")


@operator("contradiction.approximate_figure", Slot.COPY, Slot.RIVAL, Slot.NAME)
def approximate_figure(pull: Pull) -> Draft | Declined:
    """Give a figure that is not asked for once more, rounded and marked as approximate."""
    details = [_Detail(d.passage, d.span, f"about {d.new}") for d in _figures(pull.analysis)]
    return _beside(pull, details, "A side figure is given once more as an approximation.")


@operator("contradiction.side_detail", Slot.COPY, Slot.RIVAL, Slot.NAME, last=True)
def side_detail(pull: Pull) -> Draft | Declined:
    """Give a year that nobody asks for once more, a few years off."""
    return _beside(pull, _years(pull.analysis, pull.rng), "A side date is given once more with another year.")
