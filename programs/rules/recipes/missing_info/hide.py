"""MEDIUM: something else stands where the answer stood: a general word, a pointer, a mark, an initial, a range."""

import random
import re
from collections.abc import Callable

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.dates import find_dates
from programs.rules.analysis.lexicon import DETERMINERS, can_be
from programs.rules.analysis.quantities import find_numbers, written_like
from programs.rules.analysis.spans import Span
from programs.rules.edits.grammar import indefinite, is_plural, tidy
from programs.rules.edits.strategy import Edit, remove_answer_everywhere
from programs.rules.edits.style import Style, phrase
from programs.rules.edits.text import replace_span
from programs.rules.recipes.missing_info.mentions import Phrase, answer_phrases
from programs.rules.recipes.missing_info.people import pronoun_for, pronouns
from programs.rules.recipes.missing_info.wording import kind_noun, pointer, withheld_amount
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe

NAMED = (AnswerType.PERSON, AnswerType.PLACE, AnswerType.ORGANISATION, AnswerType.TITLE)
_ROLES = frozenset(
    "singer actor actress author writer director producer composer player footballer politician president minister "
    "astronomer philosopher scientist physicist rapper musician comedian poet artist painter dj conquistador novelist "
    "engineer inventor coach songwriter singer-songwriter guitarist drummer maestro band rapper host screenwriter "
    "wrestler boxer journalist photographer cinematographer lyricist captain city town village county state country".split()
)
_HEDGES = re.compile(
    r"(?:\b(?:about|around|approximately|nearly|almost|over|roughly|some|estimated at|an estimated|more than|less than|"
    r"at least|up to|just over|just under|only|exactly) )+$",
    re.IGNORECASE,
)
_CONVERSION = re.compile(r"^\S* ?\([^()]*\d[^()]*\)")

Filler = Callable[[PassageAnalysis, Phrase, bool], str | None]
"""Returns what stands in a phrase's place (the flag says that it is the first), None where nothing fits."""


def substitute(analysis: Analysis, fill: Filler, reasoning: str) -> Draft | Declined:
    """Put the filler's words in the place of every phrase that gives the answer, in every passage."""

    def edit(passage: PassageAnalysis) -> str | None:
        text, found = passage.text, answer_phrases(passage)
        for number in range(len(found) - 1, -1, -1):
            words = fill(passage, found[number], number == 0)
            if words is None:
                return None
            text = _fit(text, found[number].span, words)
        return text

    return _everywhere(analysis, edit, reasoning)


def _fit(text: str, span: Span, words: str) -> str:
    """Replace a span; a determiner that leads makes the one in `words` superfluous, doubled stops are dropped."""
    lead = re.search(r"\b([A-Za-z]+) $", text[: span.start])
    if lead and lead[1].lower() in DETERMINERS - {"that"} and re.match(r"(?:a|an|the|some|another) ", words):
        words = words.split(" ", 1)[1]
    if words.endswith(".") and text[span.end : span.end + 1] == ".":
        words = words[:-1]
    return replace_span(text, span, words)


def _everywhere(analysis: Analysis, edit: Edit, reasoning: str) -> Draft | Declined:
    """Make one edit in every passage that gives the answer."""
    if not analysis.answering:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    changed = remove_answer_everywhere(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    return Draft(analysis.question.text, changed, reasoning, "No passage gives an accepted answer any more.")


def _led_by_role(found: Phrase) -> bool:
    return found.before is not None and found.before.norm in _ROLES


@recipe("missing_info.placeholder_entity_substitution")
def placeholder_entity_substitution(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Swap every mention of the name asked for, for a general description of its kind."""
    noun = kind_noun(analysis)
    if analysis.answer_type not in NAMED or noun == "entry":
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    adjective = rng.choice(phrase(style, "certain unnamed", "well-known leading respected local").split())

    def fill(passage: PassageAnalysis, found: Phrase, first: bool) -> str | None:
        listed = (
            found.before is not None
            and found.before.text == ","
            and found.after is not None
            and found.after.text == ","
        )
        if listed or not (found.stands_alone or _led_by_role(found)) or found.text[:1] in '"“':
            return None
        if _led_by_role(found):
            return None
        copula = found.after is not None and found.after.norm in {"is", "was", "are", "were"}
        if first and not copula:
            return indefinite(f"{adjective} {noun}")
        return f"the {noun} in question" if copula and first else f"the {noun}"

    return substitute(analysis, fill, f"Every mention of the name became '{noun}' without a name.")


@recipe("missing_info.placeholder_citation")
def placeholder_citation(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a pointer to a note that is not there in the place of the answer."""
    number = rng.randint(2, 9)
    note = rng.choice(
        phrase(style, f"note {number}|[{number}]|table {number}", f"endnote {number}|appendix {number}").split("|")
    )

    def fill(passage: PassageAnalysis, found: Phrase, first: bool) -> str | None:
        if not found.stands_alone or _led_by_role(found):
            return None
        if find_numbers(found.text) and not find_dates(found.text):
            return None
        if analysis.answer_type is AnswerType.OTHER and kind_noun(analysis) == "entry":
            return f"what is listed in {note}"
        return pointer(analysis, found.text, note)

    return substitute(analysis, fill, f"The answer became a pointer to {note}, which is not there.")


@recipe("missing_info.damaged_deciding_token")
def damaged_deciding_token(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Make every mention of the answer unreadable, as in a poor scan."""
    mark = rng.choice(
        phrase(style, "[illegible]|[unreadable]", "[word lost in the scan]|[stained, not legible]").split("|")
    )

    def fill(passage: PassageAnalysis, found: Phrase, first: bool) -> str | None:
        return mark

    return substitute(analysis, fill, "Every mention of the answer is lost to damage in the scan.")


@recipe("missing_info.abbreviated_reference_omission")
def abbreviated_reference_omission(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Reduce the name asked for to an initial that is never explained."""
    if analysis.answer_type not in NAMED:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    words = [w for w in re.findall(r"[^\W\d_]+", analysis.answer) if w[0].isupper()]
    if not words:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    initial = words[-1][0] + "."

    def fill(passage: PassageAnalysis, found: Phrase, first: bool) -> str | None:
        if found.text[:1] in '"“':
            return f'"{initial}"'
        if found.text.lower().startswith("the ") and analysis.answer_type is not AnswerType.PERSON:
            return f"the {initial}"
        return initial

    return substitute(analysis, fill, f"The name became the unexplained initial '{initial}'.")


@recipe("missing_info.pronoun_without_antecedent")
def pronoun_without_antecedent(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a pronoun that nothing explains in the place of every mention of the answer."""
    if analysis.answer_type is AnswerType.PERSON:
        forms = pronouns(analysis)
        if forms is None:
            return Declined(DeclineReason.NO_SUITABLE_SPAN, "no pronoun tells the person's gender")

        def person(passage: PassageAnalysis) -> str | None:
            text = passage.text
            for found in reversed(answer_phrases(passage)):
                put = pronoun_for(text, found, forms) if found.stands_alone and not _led_by_role(found) else None
                if put is None:
                    return None
                text = replace_span(text, *put)
            return text

        return _everywhere(analysis, person, "Every mention of the person became a pronoun.")
    if analysis.answer_type not in (AnswerType.PLACE, AnswerType.DATE):
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            lead = found.preposition
            closed = found.after is None or not found.after.is_word or not can_be(found.after.norm, "NOUN")
            if lead is None or lead.norm not in {"in", "at", "on"} or not found.stands_alone or not closed:
                return None
            word = "there" if analysis.answer_type is AnswerType.PLACE else "then"
            text = replace_span(text, Span(lead.start, found.span.end), word)
        return text

    return _everywhere(analysis, edit, "The answer became 'there' or 'then'.")


@recipe("missing_info.price_redacted")
def price_redacted(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Say that the amount asked for is not given."""
    if analysis.answer_type not in (AnswerType.NUMBER, AnswerType.MONEY):
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    return _replace_figures(
        analysis, lambda found: withheld_amount(analysis, _counted(found)), "The figure is withheld."
    )


@recipe("missing_info.average_from_individual")
def average_from_individual(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a wide range over all cases in the place of the single figure asked for."""
    if analysis.answer_type not in (AnswerType.NUMBER, AnswerType.MONEY):
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    low, high = rng.choice(((0.4, 2.2), (0.5, 2.6), (0.3, 1.9)))

    def ranged(found: Phrase) -> str | None:
        numbers = find_numbers(found.text)
        if len(numbers) != 1 or numbers[0].value < 4:
            return None
        number = numbers[0]
        ends = [number.value * low, number.value * high]
        whole = number.value == round(number.value)
        shown = [written_like(float(round(e)) if whole else round(e, 1), number) for e in ends]
        unit = found.text[number.span.end :].strip()
        counted = _counted(found)
        tail = "" if counted else ", depending on the case"
        return f"between {shown[0]} and {shown[1]} {unit}".strip() + tail

    return _replace_figures(analysis, ranged, "A range over all cases stands in the place of the single figure.")


def _counted(found: Phrase) -> str | None:
    after = found.after
    counted = after is not None and after.text.islower() and can_be(after.norm, "NOUN") and is_plural(after.norm)
    return after.norm if counted and after is not None else None


def _replace_figures(analysis: Analysis, words_for: Callable[[Phrase], str | None], reasoning: str) -> Draft | Declined:
    """Replace every mention of a figure, with the hedges before it and a conversion in brackets after it."""

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            said = words_for(found)
            glued = text[found.span.end : found.span.end + 1] in {"-", "–"} or text[
                found.span.start - 1 : found.span.start
            ] in {
                "-",
                "–",
                ".",
            }
            if said is None or glued or (found.before is not None and found.before.norm in DETERMINERS):
                return None
            hedge = _HEDGES.search(text[: found.span.start])
            start = hedge.start() if hedge else found.span.start
            conversion = _CONVERSION.match(text[found.span.end :])
            end = found.span.end + (conversion.end() if conversion else 0)
            text = replace_span(text, Span(start, end), said)
        return tidy(text) if text != passage.text else None

    return _everywhere(analysis, edit, reasoning)
