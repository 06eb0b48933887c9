"""LOW: a count goes that nobody asks for, or a date is shortened to its year."""

import re
from collections.abc import Iterator

from demur.programs.rules.edits.answer_phrases import token_index
from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.operators.missing_info.cutting import Cut, cut_in_signal
from demur.programs.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.dates import DatePrecision
from demur.programs.text.lexicon import FUNCTION_WORDS, UNIT_WORDS, can_be, verb_tags, word_set
from demur.programs.text.quantities import Number, NumberKind
from demur.programs.text.spans import Sentence, Span
from demur.programs.text.tokens import fold

_HEDGES = word_set("over about around approximately nearly almost roughly some estimated exactly only just")
_BOUNDS = (
    (2, "more than"), (2, "less than"), (2, "fewer than"), (2, "greater than"), (2, "at least"), (2, "at most"),
    (2, "up to"), (3, "as many as"), (3, "as few as"),
)  # fmt: skip
"""Words for a bound that go with the figure, and how many they are."""
_DENIED = re.compile(r"\b(?:not|no|never|without)\b|n['’]t\b|\b(?:out of|all|only|other|each|every|another|either)\b")
"""Sentences that say something else once a number goes: 'he does not have nine players'."""
_LEADS = word_set("with than the its their his her all over for into between among have has had")


def _counted_noun(passage: PassageAnalysis, at: int) -> bool:
    """Return whether a plural noun follows from token `at` on, after two adjectives at most."""
    for token in passage.tokens[at : at + 3]:
        if not token.text.islower() or token.norm in UNIT_WORDS | FUNCTION_WORDS:
            return False
        if can_be(token.norm, "NOUN") and is_plural(token.norm):
            return True
        if not (can_be(token.norm, "ADJ") or can_be(token.norm, "NOUN")):
            return False
    return False


def _statistics(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for number in passage.numbers:
        span, at = number.span, token_index(passage, number.span.end)
        first = token_index(passage, span.start) - 1
        ordinal = number.kind in (NumberKind.ORDINAL, NumberKind.PERCENT, NumberKind.MONEY) or number.value < 2
        if ordinal or first < 0 or at >= len(passage.tokens) or any(d.span.overlaps(span) for d in passage.dates):
            continue
        glued = passage.text[span.end : span.end + 1] != " " or passage.text[span.start - 1 : span.start] != " "
        if glued or not _counted_noun(passage, at):
            continue
        while passage.tokens[first].norm in _HEDGES and first > 0:
            first -= 1
        if passage.tokens[first].norm in {"than", "least", "most", "to", "as"} and first > 1:
            bound = " ".join(t.norm for t in passage.tokens[max(0, first - 2) : first + 1])
            width = next((w for w, form in _BOUNDS if bound.endswith(form)), 0)
            if not width:
                continue
            first -= width
        before = passage.tokens[first]
        reported = first > 0 and passage.tokens[first - 1].norm in {"a", "an"}
        leads = (before.norm in _LEADS or verb_tags(before.norm)) and not (reported or before.is_capitalised)
        if not leads or not before.is_word or passage.sentence_at(span).span.start > before.start:
            continue
        if _DENIED.search(passage.sentence_at(span).text) or _one_of_counts(passage.sentence_at(span), passage, number):
            continue
        cut = Span(before.end + 1, passage.tokens[at].start)
        if not any(cut.overlaps(a.span) for a in passage.answers):
            yield Cut(cut.of(passage.text), passage.text[: cut.start] + passage.text[cut.end :])


def _one_of_counts(sentence: Sentence, passage: PassageAnalysis, number: Number) -> bool:
    """Return whether a count stands in a list of counts: 'sixteen paintings, twelve prints'."""
    for other in passage.numbers:
        between = passage.text[min(number.span.end, other.span.end) : max(number.span.start, other.span.start)]
        near = sentence.span.covers(other.span) and other.span != number.span
        if near and re.fullmatch(r" (?:[a-z-]+ ){0,2}[a-z-]+(?:, and|,| and) ", between):
            return True
    return False


@operator("missing_info.strip_non_queried_statistic")
def strip_non_queried_statistic(pull: Pull) -> Draft | Declined:
    """Delete a count that nobody asks for and leave the thing counted."""
    if pull.analysis.answer_type in (AnswerType.NUMBER, AnswerType.MONEY) and len(pull.analysis.signal) > 1:
        return Declined(DeclineReason.ANSWER_TYPE, "a figure may be needed to work the answer out")
    return cut_in_signal(_statistics, "A figure that is not asked for was deleted.", pull)


def _months(analysis: Analysis, passage: PassageAnalysis) -> Iterator[Cut]:
    for date in passage.dates:
        if date.precision not in (DatePrecision.DAY, DatePrecision.MONTH) or date.year is None:
            continue
        year = str(date.year)
        if any(date.span.overlaps(a.span) and fold(a.text) != year for a in passage.answers):
            continue
        before = passage.text[: date.span.start]
        preposition = re.search(r"\b(on|in|On|In|since|until|by|from|to|before|after) $|(\()$", before)
        if not preposition or passage.text[date.span.end : date.span.end + 1] in "–-":
            continue
        if preposition[1] in {"on", "On"}:
            before = before[:-3] + ("in " if preposition[1] == "on" else "In ")
        removed = date.text.replace(year, "").strip(" ,")
        yield Cut(removed, before + year + passage.text[date.span.end :])


@operator("missing_info.trim_month_but_keep_year")
def trim_month_but_keep_year(pull: Pull) -> Draft | Declined:
    """Shorten a date to its year."""
    if len(pull.analysis.signal) > 1 and pull.analysis.answer_type is AnswerType.DATE:
        return Declined(DeclineReason.ANSWER_TYPE, "a date may be needed to work the answer out")
    return cut_in_signal(_months, "A date was shortened to its year.", pull)
