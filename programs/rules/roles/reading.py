"""What an extractive reader sees: passages as analysed sentences, scored by the words that they share with a question."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from programs.respondent import NumberedPassage
from programs.rules.analysis import PassageAnalysis, Question, Sentence, WhWord, analyse_passage
from programs.rules.analysis.names import NameKind
from programs.rules.analysis.quantities import NumberKind
from programs.rules.analysis.questions import content_words, read_question
from programs.rules.analysis.spans import Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of a passage and the share of the question's content words that it and its surroundings hold."""

    passage: PassageAnalysis
    sentence: Sentence
    overlap: float


@lru_cache(maxsize=512)
def _read(number: int, text: str) -> PassageAnalysis:
    return analyse_passage(number, text, True, ())


def evidence(question: str, passages: Sequence[NumberedPassage]) -> list[Evidence]:
    """Return all sentences, the best evidence for an answer first.

    A sentence counts its own words fully and those of the rest of its passage by a third, because passages name their
    subject once and speak of it with pronouns later. A sentence that holds something of the kind that is asked for
    goes before one that holds nothing of it.
    """
    asked = content_words(question)
    kind = read_question(question)
    found: list[Evidence] = []
    for passage in passages:
        read = _read(passage.number, passage.text)
        around = len(asked & content_words(passage.text))
        for sentence in read.sentences:
            own = len(asked & content_words(sentence.text))
            weight = own + around / 3 + (1.0 if next(values(kind, read, sentence), None) else 0.0)
            found.append(Evidence(read, sentence, weight / max(1, len(asked))))
    return sorted(found, key=lambda e: (-e.overlap, e.passage.index, e.sentence.index))


def values(question: Question, passage: PassageAnalysis, sentence: Sentence) -> Iterator[str]:
    """Yield what in a sentence could answer the question by its kind: dates for when, names for who, ..."""
    said = question.text.casefold()

    def within(span: Span) -> bool:
        return sentence.span.start <= span.start and span.end <= sentence.span.end

    focus = (question.focus or "").casefold()
    if question.wh is WhWord.WHEN or focus.split(" ")[0] in {"year", "date", "month", "day", "decade", "century"}:
        yield from (d.text for d in passage.dates if within(d.span))
    elif question.wh in (WhWord.HOW_MANY, WhWord.HOW_LONG, WhWord.HOW_OLD, WhWord.HOW_MUCH):
        dates = [d.span for d in passage.dates]
        for number in passage.numbers:
            if within(number.span) and not any(number.whole.overlaps(date) for date in dates):
                if question.wh is WhWord.HOW_MUCH and number.kind is NumberKind.ORDINAL:
                    continue
                yield number.text
    elif question.wh in (WhWord.WHO, WhWord.WHOSE):
        yield from (n.text for n in passage.names if within(n.span) and n.text.casefold() not in said)
    elif question.wh is WhWord.WHERE:
        kinds = (NameKind.PLACE, NameKind.ORGANISATION, NameKind.OTHER)
        yield from (
            n.text for n in passage.names if within(n.span) and n.kind in kinds and n.text.casefold() not in said
        )
    else:
        yield from (n.text for n in passage.names if within(n.span) and n.text.casefold() not in said)
