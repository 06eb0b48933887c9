"""Possible answers in a sentence: names if the question asks 'who', dates for 'when', counts for 'how many'."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.rules.roles.reading.asked import Asked, AskedKind
from demur.rules.roles.reading.concepts import concept
from demur.text import NameKind, NumberKind, PassageAnalysis, Sentence, Span, WhWord, analyse_passage
from demur.text.lexicon import can_be, word_set
from demur.text.spans import Taken

_PART_OF_TIME = re.compile(r"(?:the )?(?:early|mid|late)[- ]$|the $")
LONGEST_PART_OF_TIME: Final = len("the early ")
_TO_YEAR = re.compile(r"[–-]\d{2,4}\b(?: season)?")
_SPANS_OF_TIME = word_set("second minute hour day week month year decade century season summer winter night")


@dataclass(frozen=True, slots=True)
class PossibleAnswer:
    """A piece of a passage that may be of the kind that the question asks for; `sure` is true if this is certain.

    `worth` is higher if `sure` is true, and if words of the question are near.
    """

    span: Span
    text: str
    sure: bool
    worth: float = 0.0


@lru_cache(maxsize=1024)
def read_passage(number: int, text: str) -> PassageAnalysis:
    """Return a passage analysed without any knowledge of answers."""
    return analyse_passage(number, text, True, ())


def candidates(asked: Asked, passage: PassageAnalysis) -> "PossibleAnswers":
    """Return the possible answers in a passage. Texts that are also in the question are left out."""
    found: list[PossibleAnswer] = []
    if asked.kind is AskedKind.DATE:
        found = [_whole_date(d.span, passage.text) for d in passage.dates]
    elif asked.kind is AskedKind.NUMBER:
        found = _amounts(asked, passage)
    elif asked.kind in (AskedKind.PERSON, AskedKind.PLACE, AskedKind.NAME, AskedKind.THING):
        found = _names(asked, passage)
    return PossibleAnswers([c for c in found if c.text.casefold().removeprefix("the ") not in asked.folded])


class PossibleAnswers:
    """The possible answers in a passage, found by sentence without a search of the whole passage."""

    def __init__(self, found: Sequence[PossibleAnswer]) -> None:
        self._found = sorted(found, key=lambda one: one.span.start)
        self._starts = [one.span.start for one in self._found]

    def within(self, sentence: Sentence) -> list[PossibleAnswer]:
        """Return the possible answers in a sentence, in their order."""
        first, last = (bisect_left(self._starts, at) for at in (sentence.span.start, sentence.span.end))
        return [one for one in self._found[first:last] if sentence.span.covers(one.span)]


def _whole_date(span: Span, text: str) -> PossibleAnswer:
    """Return the date with the words that belong to it: 'the late 1980s', '1979-80'."""
    from_ = max(0, span.start - LONGEST_PART_OF_TIME)
    before = _PART_OF_TIME.search(text, from_, span.start)
    after = _TO_YEAR.match(text[span.end :])
    whole = Span(before.start() if before else span.start, span.end + (after.end() if after else 0))
    return PossibleAnswer(whole, whole.of(text), True)


def _amounts(asked: Asked, passage: PassageAnalysis) -> list[PossibleAnswer]:
    dates = Taken(passage.text, [d.span for d in passage.dates])
    found = []
    for number in passage.numbers:
        if dates.overlaps(number.whole) and number.kind is not NumberKind.MEASURE:
            continue
        if number.kind is NumberKind.ORDINAL:
            continue
        following = passage.text[number.span.end : number.span.end + 40].replace("-", " ").split()[:3]
        counted = asked.noun is not None and concept(asked.noun) in {
            concept(w.strip(",.;").casefold()) for w in following
        }
        timed = bool(following) and following[0].strip(",.;").casefold().rstrip("s") in _SPANS_OF_TIME
        wanted = asked.question.wh
        if wanted is WhWord.HOW_LONG:
            found.append(PossibleAnswer(number.whole, number.whole.of(passage.text), timed))
        elif wanted is WhWord.HOW_MANY:
            found.append(PossibleAnswer(number.span, number.text, counted))
        else:
            found.append(
                PossibleAnswer(number.whole, number.whole.of(passage.text), number.kind is not NumberKind.CARDINAL)
            )
    return found


def _names(asked: Asked, passage: PassageAnalysis) -> list[PossibleAnswer]:
    sure = {
        AskedKind.PERSON: {NameKind.PERSON},
        AskedKind.PLACE: {NameKind.PLACE},
        AskedKind.NAME: {NameKind.TITLE, NameKind.ORGANISATION},
        AskedKind.THING: set[NameKind](),
    }[asked.kind]
    barred = {NameKind.PLACE, NameKind.TITLE} if asked.kind is AskedKind.PERSON else set[NameKind]()
    if asked.kind is AskedKind.PLACE:
        barred = {NameKind.PERSON, NameKind.TITLE}
    found = []
    for name in passage.names:
        if name.kind in barred or (" " not in name.norm and can_be(name.norm, "ADJ")):
            continue
        full = asked.kind is not AskedKind.PERSON or " " in name.norm
        found.append(PossibleAnswer(name.span, name.text, name.kind in sure and full))
    return found


def values_in(asked: Asked, text: str, *, sure: bool = True) -> list[str]:
    """Return the possible answers in a text, in their order; if `sure`, only answers with a true `sure`."""
    whole = Sentence(0, Span(0, len(text)), text)
    return [c.text for c in candidates(asked, read_passage(0, text)).within(whole) if c.sure or not sure]
