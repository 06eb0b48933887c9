"""MEDIUM: something else stands where the answer stood: a general word, a pointer, a mark, an initial, a pronoun."""

import random
import re
from collections.abc import Callable

from demur.programs.rules.edits.answer_phrases import Phrase, answer_phrases
from demur.programs.rules.edits.grammar import indefinite
from demur.programs.rules.edits.pronouns import pronoun_for, pronouns
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.edits.text import replace_span
from demur.programs.rules.recipes.missing_info.everywhere import everywhere
from demur.programs.rules.recipes.missing_info.wording import NAMED, asked_type, kind_noun, pointer
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.dates import find_dates
from demur.programs.text.lexicon import DETERMINERS, PRONOUNS, can_be, verb_tags, word_set
from demur.programs.text.quantities import find_numbers
from demur.programs.text.spans import Span

_ROLES = word_set(
    "singer actor actress author writer director producer composer player footballer politician president minister "
    "astronomer philosopher scientist physicist rapper musician comedian poet artist painter dj conquistador novelist "
    "engineer inventor coach songwriter singer-songwriter guitarist drummer maestro band rapper host screenwriter "
    "wrestler boxer journalist photographer cinematographer lyricist captain city town village county state country"
)

_CALLING = frozenset({"called", "named", "titled", "entitled", "as"})
"""Words after which a name is wanted and no pointer to one."""
_SUFFIXES = frozenset({"Jr", "Sr", "II", "III", "OBE", "CBE", "MBE"})
MOST_PHRASES = 3
"""More different phrases than this in one passage are a list, and a list of stand-ins reads badly."""

_GLOSSED = re.compile(
    r" \((?:[^()]*(?:[A-Z][a-z]+: \w|also |known as |pronunciation|pronounced|\[)|[A-Z][\w’']* [^()\d]*\))"
)
"""A bracket after a name that says it once more, in another language or form."""

Filler = Callable[[PassageAnalysis, Phrase, bool], str | None]
"""Returns what stands in a phrase's place (the flag says that it is the first), None where nothing fits."""


def substitute(analysis: Analysis, fill: Filler, reasoning: str, *, alike: bool = True) -> Draft | Declined:
    """Put the filler's words in the place of every phrase that gives the answer, in every passage.

    Unless the stand-ins can be `alike`, a passage whose phrases name different things is left alone.
    """
    if analysis.is_answer(analysis.question.text):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "the question names the answer as one of its choices")

    def edit(passage: PassageAnalysis) -> str | None:
        text, found = passage.text, answer_phrases(passage)
        if len({p.text for p in found}) > MOST_PHRASES or not alike and _several(found):
            return None
        if any(_GLOSSED.match(text[p.span.end :]) for p in found):
            return None
        for number in range(len(found) - 1, -1, -1):
            words = fill(passage, found[number], number == 0)
            fitted = _fit(text, found[number].span, words) if words is not None else None
            if fitted is None:
                return None
            text = fitted
        return text

    return everywhere(analysis, edit, reasoning)


def _several(found: tuple[Phrase, ...]) -> bool:
    """Say whether the phrases name different things: two of them share no word."""
    words = [{w.lower() for w in re.findall(r"\w+", p.text)} for p in found]
    return any(not one & other for i, one in enumerate(words) for other in words[i + 1 :])


def _fit(text: str, span: Span, words: str) -> str | None:
    """Replace a span so that the determiner before it and the stop after it still fit; None if they can't."""
    lead = re.search(r"\b([A-Za-z]+) $", text[: span.start])
    determiner = lead[1].lower() if lead else ""
    if text[span.start - 1 : span.start] in {"-", "–"} and span.start:
        return None
    if lead and determiner in DETERMINERS - {"that"}:
        if words.startswith(("what ", "those ")):
            if determiner not in {"the", "a", "an"}:
                return None
            span = Span(lead.start(), span.end)
        elif re.match(r"(?:a|an|the|some|another) ", words):
            if determiner in {"no", "any", "each", "every", "some"}:
                return None
            words = words.split(" ", 1)[1]
    if words.endswith(".") and text[span.end : span.end + 1] == ".":
        words = words[:-1]
    return replace_span(text, span, words)


def _led_by_role(found: Phrase) -> bool:
    return found.before is not None and found.before.norm in _ROLES


@recipe("missing_info.placeholder_entity_substitution")
def placeholder_entity_substitution(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Swap every mention of the name asked for, for a general description of its kind."""
    noun = kind_noun(analysis)
    named = asked_type(analysis) in NAMED or all(w[0].isupper() for w in re.findall(r"[^\W\d_]{4,}", analysis.answer))
    person = noun == "person" and (analysis.answer.isupper() or " " not in analysis.answer.strip())
    if (
        not named
        or noun in {"entry", "number", "amount", "position", "office", "role", "job", "post", "rank"}
        or person
        or find_dates(analysis.answer)
    ):
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    vague, fuller = "certain unnamed", "certain unnamed well-known"
    adjective = rng.choice(phrase(style, vague, vague if noun in {"person", "place"} else fuller).split())

    def fill(passage: PassageAnalysis, found: Phrase, first: bool) -> str | None:
        listed = (
            found.before is not None
            and found.before.text == ","
            and found.after is not None
            and found.after.text == ","
        )
        if listed or not (found.stands_alone or _led_by_role(found)) or found.text[:1] in '"“':
            return None
        if _led_by_role(found) or noun in passage.text[found.span.end : found.span.end + 50].lower():
            return None
        copula = found.after is not None and found.after.norm in {"is", "was", "are", "were"}
        if first and not copula:
            return indefinite(f"{adjective} {noun}")
        return f"the {noun} in question" if copula and first else f"the {noun}"

    return substitute(analysis, fill, f"Every mention of the name became '{noun}' without a name.", alike=False)


@recipe("missing_info.placeholder_citation")
def placeholder_citation(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a pointer to a note that is not there in the place of the answer."""
    number = rng.randint(2, 9)
    note = rng.choice(
        phrase(style, f"note {number}|footnote {number}|table {number}", f"endnote {number}|appendix {number}").split(
            "|"
        )
    )

    def fill(passage: PassageAnalysis, found: Phrase, first: bool) -> str | None:
        figure = bool(find_numbers(found.text)) and not find_dates(found.text)
        clause = (
            found.before is not None and found.before.norm in PRONOUNS or can_be(found.text.split()[0].lower(), "ADV")
        )
        clause = clause or "VBD" in verb_tags(found.text.split()[0]) and not found.text[0].isupper()
        owned = re.search(r"['’´]s $", passage.text[: found.span.start]) is not None
        if not found.stands_alone or _led_by_role(found) or figure or clause or owned:
            return None
        said = pointer(analysis, found.text, note)
        if said.startswith("the period ") and found.before is not None and found.before.norm in {"from", "between"}:
            return None
        led = passage.text[: found.span.start].lower().split()[-2:]
        if led and (led[-1] in _CALLING or led[-1] in {"the", "a", "an"} and led[0] in _CALLING):
            return None
        if found.before is not None and found.before.norm in {"born", "died"} and said.startswith("the date "):
            said = f"on {said}"
        stem = said.split()[1][:6]
        return None if stem in passage.text[max(0, found.span.start - 40) : found.span.start].lower() else said

    return substitute(analysis, fill, f"The answer became a pointer to {note}, which is not there.", alike=False)


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
    if asked_type(analysis) not in NAMED:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    words = [w for w in re.findall(r"[^\W\d_]+", analysis.answer) if w[0].isupper()]
    words = [w for w in words if w not in _SUFFIXES] or words
    common = analysis.answer.isalpha() and any(f" {analysis.answer.lower()}" in p.text for p in analysis.answering)
    if common or not words or any(w[0].islower() for w in re.findall(r"[^\W\d_]{5,}", analysis.answer)):
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    initial: str = words[-1 if asked_type(analysis) is AnswerType.PERSON else 0][0] + "."

    def fill(passage: PassageAnalysis, found: Phrase, first: bool) -> str | None:
        if found.text[:1] in '"“':
            return f'"{initial}"'
        if found.text.lower().startswith("the ") and analysis.answer_type is not AnswerType.PERSON:
            return f"the {initial}"
        return initial

    return substitute(analysis, fill, f"The name became the unexplained initial '{initial}'.", alike=False)


@recipe("missing_info.pronoun_without_antecedent")
def pronoun_without_antecedent(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a pronoun that nothing explains in the place of every mention of the answer."""
    if asked_type(analysis) is AnswerType.PERSON:
        forms = pronouns(analysis)
        if forms is None:
            return Declined(DeclineReason.NO_SUITABLE_SPAN, "no pronoun tells the person's gender")
        if analysis.is_answer(analysis.question.text):
            return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "the question names the answer as one of its choices")

        def person(passage: PassageAnalysis) -> str | None:
            text = passage.text
            for found in reversed(answer_phrases(passage)):
                if text[: found.span.start].count('"') % 2:
                    return None
                put = pronoun_for(text, found, forms) if found.stands_alone and not _led_by_role(found) else None
                if put is None:
                    return None
                text = replace_span(text, *put)
            return text

        return everywhere(analysis, person, "Every mention of the person became a pronoun.")
    if analysis.answer_type not in (AnswerType.PLACE, AnswerType.DATE) or kind_noun(analysis) in {"language", "entry"}:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            lead = found.preposition
            closed = found.after is None or not found.after.is_word or not can_be(found.after.norm, "NOUN")
            if lead is None or lead.norm not in {"in", "at", "on"} or not found.stands_alone or not closed:
                return None
            word = "there" if analysis.answer_type is AnswerType.PLACE else "at that time"
            if re.match(r", (?:the|a|an|its|his|her)\b|, [A-Z]", text[found.span.end :]):
                return None
            text = replace_span(text, Span(lead.start, found.span.end), word)
        return text

    return everywhere(analysis, edit, "The answer became 'there' or 'at that time'.")
