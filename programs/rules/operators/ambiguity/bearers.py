"""Two where the question means one: a second value, a second person for a pronoun, a second thing of the same name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.levers.vocabulary import Layout
from demur.programs.rules.described import described
from demur.programs.rules.operators.context import entry_of, filled
from demur.programs.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.programs.rules.rivals import Rival, find_rival
from demur.programs.text.analysis import PassageAnalysis
from demur.programs.text.answers import MentionKind
from demur.programs.text.dates import DatePrecision, find_dates, moved
from demur.programs.text.kinds import COUNTED, gender_of, is_full_name, kind_of_answer
from demur.programs.text.names import NameKind
from demur.programs.text.quantities import find_numbers
from demur.programs.text.questions import content_words
from demur.programs.text.spans import Sentence, Span
from demur.programs.text.tokens import fold

_GREGORIAN, _BRITISH, _COORDINATED = 1583, 1752, 1963
"""The first year of the Gregorian calendar, the one in which Britain took it, and the first of coordinated time."""
_LEANS: Final = re.compile(
    r"\b(?:the|an?|from|as|than|least|most|over|under|nearly|almost|between|about|around|since|until|only|of|to) $",
    re.IGNORECASE,
)
_PERSON_STANDS: Final = re.compile(r"(?:\b(?:by|with|from|to|for|is|was|starring|when|that|and)|\() $|[.!?] $|^$")
_STOCK: Final = re.compile(r"\b(?:population|inhabitants|residents|people|members|students|employees|seats|stores)\b")
_GOES_ON: Final = re.compile(r",? (?:or|AD|BC)\b|,? and (?![a-z]+(?:ed|ing)\b)|[–-]|, [A-Z]| [A-Z(]")
_COMES_OUT: Final = re.compile(r"\b(?:released|published|out|issued|launched|premiered)\b")
_SAME: Final = (
    "come release make premiere debut air first", "sing record perform cover singer", "write compose writer",
    "play star portray actor", "direct director", "produce producer",
)  # fmt: skip
_GENERAL: Final = frozenset({"movie", "film", "song", "album", "book", "new", "original", "old", "date", "out"})
_NAMED: Final = frozenset(
    {Kind.PERSON, Kind.CITY, Kind.STATE, Kind.COUNTRY, Kind.TEAM, Kind.BAND, Kind.FILM, Kind.SONG, Kind.SCHOOL}
)


@dataclass(frozen=True, slots=True)
class Place:
    """The one place where the passages state the answer, and a value of its kind that they do not have."""

    passage: PassageAnalysis
    sentence: Sentence
    span: Span
    answer: str
    rival: str
    kind: Kind

    @property
    def before(self) -> str:
        """The sentence before the answer."""
        return self.passage.text[self.sentence.span.start : self.span.start]

    @property
    def after(self) -> str:
        """The sentence behind the answer."""
        return self.passage.text[self.span.end : self.sentence.span.end]

    def with_sentence(self, sentence: str) -> dict[int, str]:
        """Return the passage with another sentence in place of the answering one."""
        text = self.passage.text
        return {self.passage.index: text[: self.sentence.span.start] + sentence + text[self.sentence.span.end :]}


def place_of(pull: Pull) -> Place | None:
    """Return where the one signal passage states the answer openly, with a rival; None where that is not so.

    What else the passage says of the answer must not be what is asked.
    """
    analysis, kind = pull.analysis, kind_of_answer(pull.analysis)
    stating = [p for p in analysis.signal if p.gives_answer]
    stated = analysis.answer_sentence
    if kind is None or len(stating) != 1 or stated is None:
        return None
    passage = stating[0]
    whole = [m.span for m in passage.answers if m.kind is not MentionKind.PARTIAL]
    inside = [s for s in whole if passage.sentence_at(s).index == stated.index]
    span = max(inside, key=lambda s: s.end - s.start, default=None)
    if span is None or not all(span.overlaps(s) for s in inside) or _other_answer(passage, whole, span):
        return None
    if _stated_again(pull, passage, stated):
        return None
    answer = span.of(passage.text)
    before, after = passage.text[: span.start], passage.text[span.end :]
    if not stated.text.rstrip().endswith(".") or span.end > stated.span.end or not _stands_open(before, after, kind):
        return None
    if kind in COUNTED and _is_worked_out(answer, stated.text):
        return None
    if kind in _NAMED and re.search(r"\b(?:and|or)\b", answer):
        return None
    rival = _rival(pull, answer, kind)
    return Place(passage, stated, span, answer, rival, kind) if rival is not None else None


def _is_worked_out(answer: str, sentence: str) -> bool:
    """Return whether other figures of the sentence may tell the answer, or it is a bound that several values keep."""
    dates = [d.span for d in find_dates(sentence)]
    figures = [n for n in find_numbers(sentence) if not any(d.overlaps(n.span) for d in dates)]
    return len(figures) != 1 or re.search(r"\b(?:than|least|most|over|under|about|around)\b", answer) is not None


def _other_answer(passage: PassageAnalysis, whole: list[Span], span: Span) -> bool:
    """Return whether the passage has an accepted answer of another wording."""
    said = fold(span.of(passage.text))
    return any(fold(s.of(passage.text)) not in said and said not in fold(s.of(passage.text)) for s in whole)


def _stands_open(before: str, after: str, kind: Kind) -> bool:
    """Return whether another value can stand beside the answer: no brackets, list, apposition or compound around it."""
    bracketed = before.endswith("(") and after.startswith(")")
    enclosed = before.count("(") > before.count(")") or before.count('"') % 2 == 1
    if enclosed and not bracketed or not re.match(r"[ .,;)]", after[:1] or "."):
        return False
    if _LEANS.search(before[-12:]) or re.search(r"(?:[,–-]|\b(?:and|or)) ?$", before[-5:]) or _GOES_ON.match(after):
        return False
    if kind in (Kind.YEAR, Kind.DATE):
        return re.search(r"\b(?:[Ii]n|[Oo]n|[Bb]y) $", before) is not None
    if kind is Kind.PERSON and not _PERSON_STANDS.search(before):
        return False
    return kind not in _NAMED or not (
        re.search(r"[A-Z][\w.]* $", before[-20:])
        and not before.endswith(". ")
        or kind is Kind.PERSON
        and re.match(r", (?:an?|the|who|whose|his|her|born)\b", after)
    )


def _stated_again(pull: Pull, passage: PassageAnalysis, stated: Sentence) -> bool:
    """Return whether another sentence with the answer has most words of the question."""
    asked = content_words(pull.analysis.question.text)
    others = [s for s in passage.answer_sentences if s.index != stated.index]
    return any(len(asked & content_words(s.text)) >= max(2, len(asked) / 2) for s in others)


def _rival(pull: Pull, answer: str, kind: Kind) -> str | None:
    """Return a date or figure beside the answer, or a person whom a single passage names; other names decide by sense.

    Where there are several passages, a question tells by sex, country or trade which person is meant.
    """
    if kind is Kind.PERSON and pull.analysis.base.layout is Layout.SINGLE:
        return next(_people(pull, answer), None)
    if kind in _NAMED:
        return None
    found = find_rival(pull.analysis, pull.corpus, pull.rng)
    return found.value(answer) if found is not None else None


def _people(pull: Pull, answer: str) -> Iterator[str]:
    """Yield people of the answer's sex whom the passages name, those of the answering passage first."""
    sex = gender_of(answer) if is_full_name(answer) else None
    asked = set(fold(f"{pull.analysis.question.text} {answer}").split())
    passages = sorted(pull.analysis.passages, key=lambda p: not p.gives_answer)
    named = (n.text for p in passages for n in p.names if n.kind is NameKind.PERSON and len(n.norm.split()) in (2, 3))
    for name in dict.fromkeys(named):
        if sex is not None and is_full_name(name) and gender_of(name) == sex and not set(fold(name).split()) & asked:
            yield name


@operator("ambiguity.either_or", last=True)
def either_or(pull: Pull) -> Draft | Declined:
    """Write 'either A or B' where the passages say A and leave open which; or ask 'but who?' after two deeds."""
    place = place_of(pull)
    if place is None:
        return Declined(DeclineReason.NO_RIVAL)
    either = "Either" if not place.before.strip() else "either"
    end = place.after.rstrip().removesuffix(".")
    frame = pull.frame()
    if frame is None:
        return Declined(DeclineReason.NO_FRAME)
    sentence = f"{place.before}{either} {place.answer} or {place.rival}{end}{frame.text}."
    return Draft(
        pull.analysis.question.text, place.with_sentence(sentence), reasoning="Two values stand where one stood."
    )


@operator("ambiguity.two_people", Slot.ANSWER, Slot.RIVAL)
def two_people(pull: Pull) -> Draft | Declined:
    """Name two bearers in one sentence, and say he or she for the answer in the next."""
    place = place_of(pull)
    frame = pull.frame(place.kind) if place is not None else None
    if (
        place is None
        or frame is None
        or place.kind is not Kind.PERSON
        or place.rival not in _people(pull, place.answer)
    ):
        return Declined(DeclineReason.NO_RIVAL)
    male = gender_of(place.answer) == "male"
    if re.match(r"(?:It|He|She|They|This|His|Her|Its)\b", place.sentence.text):
        said = ""
    elif not place.before.strip() and re.match(r" [a-z]", place.after):
        said = "He" if male else "She"
    else:
        said = ("him" if male else "her") if re.search(r"\b(?:by|with|to|for|from|of) $", place.before) else ""
    if not said:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    both = fill(frame, answer=place.answer, rival=place.rival)
    sentence = f"{both} {place.before}{said}{place.after}"
    return Draft(
        pull.analysis.question.text, place.with_sentence(sentence), reasoning="A pronoun fits both bearers named."
    )


@operator("ambiguity.edition", Slot.ANSWER, Slot.RIVAL)
def edition(pull: Pull) -> Draft | Declined:
    """Give a work two dates or figures, one for each of two versions that are out."""
    place, about = place_of(pull), described(pull.analysis)
    entry = entry_of(place.passage.text) if place is not None else None
    kind = entry[1] if entry is not None else about.kind if about is not None else None
    frame = pull.frame(kind)
    if place is None or frame is None or place.kind not in (Kind.DATE, Kind.YEAR):
        return Declined(DeclineReason.NO_RIVAL)
    opening = re.search(r"\b(?P<at>[Ii]n|[Oo]n) $", place.before)
    if opening is None or not _COMES_OUT.search(place.before) or re.match(r",? (?:in|by) ", place.after):
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    said = fill(frame, answer=place.answer, rival=f"{opening['at'].lower()} {place.rival}")
    sentence = f"{place.before}{said}{place.after}"
    return Draft(
        pull.analysis.question.text, place.with_sentence(sentence), reasoning="Two versions differ in the date."
    )


@operator("ambiguity.time_basis", Slot.ANSWER, Slot.RIVAL)
def time_basis(pull: Pull) -> Draft | Declined:
    """Give a date on two time bases: the day before or after, or the year before or after."""
    place = place_of(pull)
    values = _on_two_bases(pull, place) if place is not None else None
    frame = pull.frame(values[0]) if values is not None else None
    if place is None or values is None or frame is None:
        return Declined(DeclineReason.ANSWER_TYPE)
    rival = values[1]
    comma = "" if place.after[:1] in ".,;" else ","
    said = fill(frame, answer=place.answer, rival=rival)
    sentence = f"{place.before}{said}{comma}{place.after}"
    return Draft(pull.analysis.question.text, place.with_sentence(sentence), reasoning="The date stands on two bases.")


def _on_two_bases(pull: Pull, place: Place) -> tuple[Kind, str] | None:
    """Return the kind of basis (a day's clock, a calendar, a stock at two times) and the value on the other one."""
    if place.kind is Kind.NUMBER and _STOCK.search(place.sentence.text) and re.match(r"[.,;]|$", place.after):
        later = Rival(Kind.NUMBER, factor=pull.rng.choice((1.04, 1.06, 0.97))).value(place.answer)
        return (Kind.NUMBER, later) if later is not None and later != place.answer else None
    dates = find_dates(place.answer)
    if len(dates) != 1 or dates[0].precision is not DatePrecision.DAY or dates[0].year is None:
        return None
    if re.search(r"\b[Oo]n $", place.before) is None:
        return None
    if _GREGORIAN <= dates[0].year < _BRITISH:
        days = sum(dates[0].year >= year for year in (1583, 1700)) + 9
        return Kind.YEAR, moved(dates[0], days=days)
    if dates[0].year < _COORDINATED:
        return None
    return Kind.DATE, moved(dates[0], days=pull.rng.choice((-1, 1)))


@operator("ambiguity.namesake", Slot.NAME, Slot.NOUN, Slot.NOUNS)
def namesake(pull: Pull) -> Draft | Declined:
    """Set a second entry, taken whole from another passage of the corpus, under the name that the question has."""
    analysis = pull.analysis
    answering = [p for p in analysis.passages if p.gives_answer]
    entry = entry_of(answering[0].text) if len(answering) == 1 and answering[0].relevant else None
    if entry is None or fold(entry[0]) not in fold(analysis.question.text) or analysis.is_answer(entry[0]):
        return Declined(DeclineReason.NO_TOPIC)
    rest = _wide(content_words(analysis.question.text) - content_words(entry[0]) - content_words(entry[2]) - _GENERAL)
    own = answering[0].text
    others = []
    for text in pull.corpus.texts:
        other = entry_of(text)
        if other is None or other[1] is not entry[1] or other[0] == entry[0] or not rest <= _wide(content_words(text)):
            continue
        if 0.4 < len(text) / len(own) < 2.5 and not analysis.is_answer(text) and own != text:
            others.append((text, other[0]))
    heading = filled(pull, answering[0])
    if not others or heading is None or not rest:
        return Declined(DeclineReason.NO_RIVAL)
    text, name = pull.rng.choice(others)
    second = _renamed(text, name, entry[0], entry[1] is Kind.PERSON)
    return Draft(
        analysis.question.text,
        {answering[0].index: f"{heading}\n1. {own}\n2. {second}"},
        reasoning="Two entries bear the name that the question has.",
    )


def _wide(words: frozenset[str]) -> frozenset[str]:
    """Return words with one for all that say the same of a work: come out, release, make."""
    return frozenset(next((group for group in _SAME if word in group.split()), word) for word in words)


def _renamed(text: str, old: str, new: str, is_person: bool) -> str:
    """Return an entry under another name, a person's last name included."""
    text = text.replace(old, new)
    return re.sub(rf"\b{re.escape(old.split()[-1])}\b", new.split()[-1], text) if is_person else text
