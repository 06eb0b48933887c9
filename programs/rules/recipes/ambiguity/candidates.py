"""MEDIUM and HIGH in context: the answer becomes one of two or three candidates, and nothing tells which."""

import random
import re

from demur.programs.rules.edits.answer_phrases import Phrase, answer_phrases
from demur.programs.rules.edits.rival_values import is_personal, rival_value, spoken_answer
from demur.programs.rules.edits.strategy import apply_to_answering_signal
from demur.programs.rules.edits.style import Style
from demur.programs.rules.edits.text import append_to_sentence, replace_span
from demur.programs.rules.recipes.ambiguity.material import BOTH
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import asked_fact
from demur.programs.text.lexicon import AUXILIARIES, verb_tags, word_set
from demur.programs.text.quantities import find_numbers
from demur.programs.text.questions import WhWord
from demur.programs.text.spans import Span

MOST_PHRASES = 2
"""A passage that gives the answer more often than this can't be reworded without becoming clumsy."""
_LONGEST_SENTENCE = 45


def other_value(analysis: Analysis, rng: random.Random) -> str | None:
    """Return another value that could stand where the answer stands, None where none can be made."""
    return rival_value(analysis, asked_fact(analysis), rng)


def _listed(found: Phrase, passage: PassageAnalysis) -> bool:
    """Say whether the phrase is part of a list, where another 'or' would change the list."""
    near = [n.span for n in passage.names if n.span.end <= found.span.start or n.span.start >= found.span.end]
    if any(passage.text[found.span.end : s.start] == ", " for s in near if s.start > found.span.end):
        return True
    if any(passage.text[s.end : found.span.start] in {", ", ", and "} for s in near if s.end < found.span.start):
        return True
    before, after = found.before, found.after
    opened = before is not None and before.norm in {"and", "or", "/", "&", "either", "both", "between"}
    goes_on = after is not None and (after.norm in {"and", "or", "&", "with"} or after.text in {"/", "-", "–"})
    return opened or goes_on


def _replaceable(passage: PassageAnalysis, text: str, here: Phrase, span: Span, *, tailed: bool) -> bool:
    """Say whether 'A or B' can stand where the phrase stands: alone, in no list, and not as the head of an entry.

    A clause that is `tailed` on at the end of the sentence must not be far from it, nor speak of what brackets hold.
    """
    if here.before is not None and here.before.norm in {"every", "each", "no", "any"}:
        return False
    quoted = here.text[:1] in '"“' or text[here.span.end : here.span.end + 2] == "'s"
    glued = bool(span.start) and text[span.start - 1] in "-–("
    glossed = here.after is not None and here.after.text == "("
    bracketed = text[: span.start].count("(") > text[: span.start].count(")")
    far = len(passage.sentence_at(here.span).text[:-1].split()) > _LONGEST_SENTENCE
    if tailed and (bracketed or far) or bracketed and here.preposition is None:
        return False
    opens = span.start == 0 and here.after is not None and here.after.norm in {"is", "was", "are", "were", ","}
    return here.stands_alone and not (_listed(here, passage) or quoted or glued or glossed or opens)


def _with_article(text: str, found: Phrase) -> Span:
    """Return the phrase's span with an article before it."""
    if found.before is not None and found.before.norm in {"the", "a", "an"}:
        return Span(found.before.start, found.span.end)
    return found.span


def same_shape(said: str, value: str) -> str:
    """Return `value` with the same article as `said` and without a preposition of its own."""
    year, new = re.search(r"\b\d{4}\b", said), re.fullmatch(r"(?:in |around )?(\d{4})", value)
    if year and new and len(said) > 4:
        return said.replace(year.group(), new[1])
    bare = re.sub(r"^(?:in|on|at|to|with|by|from|around|about|estimated at|approximately) ", "", value)
    bare = re.sub(r"^(?:The|An?)(?= [a-z])", lambda m: m.group().lower(), bare)
    article = re.match(r"(?:the|an?) ", said, re.IGNORECASE)
    if article and not re.match(r"(?:the|an?) ", bare, re.IGNORECASE) and not bare[:1].isupper():
        return f"{article.group().lower()}{bare}"
    return bare if article else re.sub(r"^(?:the|an?) (?=[a-z])", "", bare)


def alternatives(
    analysis: Analysis, joined: str, tail: str, values: tuple[str, ...], *, shared: bool = False
) -> dict[int, str] | None:
    """Put 'A or B' where A stood; `joined` has places for {a}, {b} and {c}, `tail` ends the first such sentence.

    With `shared`, words in which both values end are written once: 'either 9 or 12 seasons'.
    """

    def edit(passage: PassageAnalysis) -> str | None:
        text, found = passage.text, answer_phrases(passage)
        common = len(found) > 1 and not re.search(r"[A-Z\d]", found[0].text)
        if not found or len(found) > MOST_PHRASES or len({p.text for p in found}) > 1 or common:
            return None
        for number in range(len(found) - 1, -1, -1):
            here = found[number]
            span = _with_article(text, here)
            said = span.of(text)
            if not _replaceable(passage, text, here, span, tailed=bool(tail)) or not shared and _agrees_with_one(here):
                return None
            shaped = [same_shape(said, v) for v in values]
            said = said[:1].lower() + said[1:] if re.match(r"(?:The|A|An) ", said) else said
            pattern = joined if number == 0 else joined.removeprefix("either ")
            first = before_shared(said, shaped[0], text[span.end :]) if shared else said
            second = before_shared(shaped[0], first, text[span.end :]) if shared and first == said else shaped[0]
            new = pattern.format(a=first, b=second, c=shaped[-1])
            if number == 0 and tail:
                text = append_to_sentence(text, passage.sentence_at(here.span), tail)
            text = replace_span(text, span, new)
        return text

    return apply_to_answering_signal(analysis, edit)


def _agrees_with_one(found: Phrase) -> bool:
    """Say whether the verb that follows shows that its subject is one: 'is', 'has', 'plays'."""
    after = found.after
    return found.is_subject and after is not None and (after.norm in AUXILIARIES or "VBZ" in verb_tags(after.norm))


def before_shared(value: str, other: str, following: str) -> str:
    """Return `value` without the words in which both values end, or which follow in the text."""
    ours, theirs = value.split(), other.split()
    shared = 0
    while shared < min(len(ours), len(theirs)) - 1 and ours[-1 - shared] == theirs[-1 - shared]:
        shared += 1
    tail, head = " ".join(ours[len(ours) - shared :]), " ".join(ours[: len(ours) - shared])
    if shared and not re.search(r"[A-Z]", tail) and find_numbers(head):
        return " ".join(ours[:-shared])
    return " ".join(ours[:-1]) if len(ours) > 1 and following.split()[:1] == ours[-1:] else value


_SINGLE = re.compile(r"\b(?:first|last|only|capital|most|originally|winner|\w{3,}est)\b", re.IGNORECASE)
_PLACE_NOUNS = word_set(
    "city town country state county village region province capital place island continent district"
)


def _asks_place(analysis: Analysis) -> bool:
    """Say whether the question asks for a place in so many words; a title may look like a place ('Rocky')."""
    words = {lemma for t in analysis.question.tokens for lemma in (t.norm, t.norm.rstrip("s"))}
    return analysis.question.wh is WhWord.WHERE or bool(words & _PLACE_NOUNS)


@recipe("ambiguity.either_or_coordination_scope")
def either_or_coordination_scope(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Coordinate the answer with two others by 'and' and 'or', so that the grouping is open."""
    answer = spoken_answer(analysis)
    if _SINGLE.search(analysis.question.text):
        return Declined(DeclineReason.ANSWER_TYPE, "what is asked holds of one only")
    named = all(w[0].isupper() for w in re.findall(r"[^\W\d_]{4,}", answer)) and " and " not in answer
    place = analysis.answer_type is AnswerType.PLACE and _asks_place(analysis)
    other_kind = analysis.answer_type in (AnswerType.TITLE, AnswerType.ORGANISATION)
    if not named or not (is_personal(analysis) or place or other_kind):
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    one, two = other_value(analysis, rng), other_value(analysis, rng)
    if one is None or two is None or one == two or " and " in one + two:
        return Declined(DeclineReason.ANSWER_TYPE, "no two other values of the answer's kind can be made")
    pattern = rng.choice(("{a} and {b} or {c}", "{a} or {b} and {c}"))
    changed = alternatives(analysis, pattern, "", (one, two))
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(analysis.question.text, changed, f"'{one}' and '{two}' were coordinated with the answer.", BOTH)
