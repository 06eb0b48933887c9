"""MEDIUM: the figure asked for is withheld, or drowned in an average."""

import random
import re
from collections.abc import Callable

from demur.programs.rules.edits.answer_phrases import Phrase, answer_phrases
from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.edits.text import append_to_sentence, replace_span
from demur.programs.rules.recipes.missing_info.everywhere import everywhere
from demur.programs.rules.recipes.missing_info.wording import withheld_amount
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.lexicon import DETERMINERS, can_be, word_set
from demur.programs.text.quantities import find_numbers, written_like
from demur.programs.text.spans import Span

_HEDGES = re.compile(
    r"(?:\b(?:about|around|approximately|nearly|almost|over|roughly|some|estimated at|an estimated|more than|less than|"
    r"at least|up to|just over|just under|only|exactly) )+$",
    re.IGNORECASE,
)
_CONVERSION = re.compile(r"^\S* ?\([^()]*\d[^()]*\)")
MOST_MENTIONS = 2
"""A small number that is said more often than this counts other things as well."""
_MEASURED = word_set("long high tall wide deep old thick")
_DIFFERENCES = word_set(
    "higher lower larger smaller greater longer shorter older younger fewer faster taller more less"
)
_LEADS = DETERMINERS | {"all", "both", "no"}


@recipe("missing_info.price_redacted")
def price_redacted(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Say that the amount asked for is not given."""
    return _figures_replaced(
        analysis, lambda found: withheld_amount(analysis, found.text, _counted(found)), "The figure is withheld."
    )


@recipe("missing_info.average_from_individual")
def average_from_individual(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put an average over many cases in the place of the single figure asked for."""
    factor = rng.choice((1.3, 1.4, 1.6, 0.7))

    def averaged(found: Phrase) -> str | None:
        numbers = find_numbers(found.text)
        unfit = withheld_amount(analysis, found.text, False) in {None, "at an unstated time"}
        if len(numbers) != 1 or numbers[0].value < 4 or unfit or found.text[0].isupper() or _counted(found):
            return None
        number = numbers[0]
        value = number.value * factor
        shown = written_like(float(round(value)) if number.value == round(number.value) else round(value, 1), number)
        before = re.sub(
            r"^(?:estimated at|about|around|more than|over|approximately) ", "", found.text[: number.span.start]
        )
        return f"an average of {before}{shown}{found.text[number.span.end :]}"

    taken = phrase(style, ", over all comparable cases", ", reckoned over all cases of this kind")
    return _figures_replaced(analysis, averaged, "An average over many cases stands for the single figure.", taken)


def _counted(found: Phrase) -> bool:
    after = found.after
    return after is not None and after.text.islower() and can_be(after.norm, "NOUN") and is_plural(after.norm)


def _compares(found: Phrase) -> bool:
    """Say whether a figure tells how far two things differ ('18% higher than'), which no noun can stand for."""
    last = found.text.split()[-1].lower()
    return last in _DIFFERENCES or found.after is not None and found.after.norm in _DIFFERENCES | {"than"}


def _fits(text: str, found: Phrase) -> bool:
    """Say whether a figure can be replaced where it stands: not after 'all' or 'Team', not within a compound."""
    around = text[found.span.end : found.span.end + 1], text[found.span.start - 1 : found.span.start]
    before = found.before
    named = before is not None and before.is_word and before.is_capitalised and found.span.start - before.end == 1
    opens = before is not None and text[: before.start].rstrip()[-1:] in {"", ".", "!", "?"}
    led = before is not None and before.norm in _LEADS
    if found.after is not None and found.after.norm in _MEASURED:
        return False
    return not (set(around) & {"-", "–", "."} - {around[0] if around[0] == "." else ""} or led or named and not opens)


def _figures_replaced(
    analysis: Analysis, words_for: Callable[[Phrase], str | None], reasoning: str, tail: str = ""
) -> Draft | Declined:
    """Replace every mention of a figure, with the hedges before it and a conversion in brackets after it.

    `tail` is added at the end of each sentence changed.
    """
    if analysis.answer_type not in (AnswerType.NUMBER, AnswerType.MONEY):
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)

    def edit(passage: PassageAnalysis) -> str | None:
        text, tailed = passage.text, set[int]()
        if len(answer_phrases(passage)) > MOST_MENTIONS:
            return None
        for found in reversed(answer_phrases(passage)):
            said = words_for(found)
            if said is None or not _fits(passage.text, found) or _compares(found):
                return None
            sentence = passage.sentence_at(found.span)
            opened = passage.text[sentence.span.start : found.span.start]
            if tail and opened.count("(") > opened.count(")"):
                return None
            if tail and sentence.index not in tailed:
                text = append_to_sentence(text, sentence, tail)
                tailed.add(sentence.index)
            hedge = _HEDGES.search(text[: found.span.start])
            start = hedge.start() if hedge else found.span.start
            conversion = _CONVERSION.match(text[found.span.end :])
            end = found.span.end + (conversion.end() if conversion else 0)
            text = replace_span(text, Span(start, end), said)
        return text

    return everywhere(analysis, edit, reasoning)
