"""A mark of the lever's in the place of the answer, wherever it stands: unreadable, a pointer, a link, an initial."""

import re
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.programs.rules.edits.answer_phrases import Phrase, answer_phrases
from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.edits.text import replace_span
from demur.programs.rules.operators.missing_info.cutting import everywhere
from demur.programs.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.programs.rules.rivals import is_one_fact
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.kinds import NAMED, kind_of_answer
from demur.programs.text.lexicon import DETERMINERS
from demur.programs.text.quantities import NumberKind, find_numbers
from demur.programs.text.spans import Span

MOST_PHRASES: Final = 3
"""More different phrases than this in one passage are a list, and a list of marks reads badly."""


def _is_choice(analysis: Analysis) -> bool:
    """Return whether the question names the answer, as one of its choices."""
    return analysis.is_answer(analysis.question.text)


def _several(found: tuple[Phrase, ...]) -> bool:
    """Return whether the phrases name different things: two of them share no word."""
    words = [{w.lower() for w in re.findall(r"\w+", p.text)} for p in found]
    return any(not one & other for i, one in enumerate(words) for other in words[i + 1 :])


@operator("missing_info.mark", Slot.NUMBER)
def mark(pull: Pull) -> Draft | Declined:
    """Put one of the lever's marks in the place of every mention of the answer."""
    analysis = pull.analysis
    frame = pull.frame(kind_of_answer(analysis))
    if frame is None:
        return Declined(DeclineReason.NO_FRAME)
    if _is_choice(analysis) or not is_one_fact(analysis):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "the answer is one of several things")
    said = fill(frame, number=str(pull.rng.randint(2, 9)))

    def edit(passage: PassageAnalysis) -> str | None:
        found = answer_phrases(passage)
        if len({p.text for p in found}) > MOST_PHRASES or _several(found):
            return None
        text = passage.text
        for phrase in reversed(found):
            if phrase.text[:1].islower() and not phrase.stands_alone:
                return None
            text = text[: phrase.span.start] + said + text[phrase.span.end :]
        return text

    return everywhere(pull, edit, f"Every mention of the answer became '{said}'.")


@operator("missing_info.initial")
def initial(pull: Pull) -> Draft | Declined:
    """Reduce the name asked for to an initial that is never explained."""
    analysis = pull.analysis
    kind = kind_of_answer(analysis)
    if kind not in NAMED or not is_one_fact(analysis) or _is_choice(analysis):
        return Declined(DeclineReason.ANSWER_TYPE)
    words = re.findall(r"[^\W\d_]+", analysis.answer)
    if any(w[0].islower() for w in words) or len(words) > 3:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    letter = words[-1 if kind is Kind.PERSON else 0][0] + "."

    def edit(passage: PassageAnalysis) -> str | None:
        found = answer_phrases(passage)
        if _several(found) or any(p.text[:1] in '"“' or not p.stands_alone for p in found):
            return None
        text = passage.text
        for phrase in reversed(found):
            end = phrase.span.end + (text[phrase.span.end : phrase.span.end + 1] == ".")
            text = text[: phrase.span.start] + letter + text[end:]
        return text

    return everywhere(pull, edit, f"The name became the unexplained initial '{letter}'.")


@operator("missing_info.withheld_figure")
def withheld_figure(pull: Pull) -> Draft | Declined:
    """Put words that say that it is not given in the place of the amount or count asked for."""
    analysis = pull.analysis
    kind = kind_of_answer(analysis)
    frame = pull.frame(kind)
    if frame is None or kind not in (Kind.NUMBER, Kind.MONEY):
        return Declined(DeclineReason.ANSWER_TYPE)

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            span = _amount(passage, found, kind)
            if span is None:
                return None
            text = replace_span(text, span, frame.text)
        return text

    return everywhere(pull, edit, "The figure became words that say that it is not given.")


def _amount(passage: PassageAnalysis, found: Phrase, kind: Kind) -> Span | None:
    """Return what words for an unknown amount can replace: a sum, or a count before what it counts."""
    numbers = [n for n in find_numbers(passage.text) if n.span.overlaps(found.span)]
    if len(numbers) != 1 or (found.before is not None and found.before.norm in DETERMINERS):
        return None
    number = numbers[0]
    if kind is Kind.MONEY:
        return number.whole if number.kind is NumberKind.MONEY else None
    following = re.match(r" ([a-z]+)\b", passage.text[number.span.end :])
    return number.span if following is not None and is_plural(following[1]) else None
