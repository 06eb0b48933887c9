"""MEDIUM and HIGH in context: the answer becomes one of two or three candidates, and nothing tells which."""

import random
import re

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.asked_fact import asked_fact
from programs.rules.analysis.names import find_names
from programs.rules.analysis.questions import WhWord
from programs.rules.analysis.spans import Span
from programs.rules.edits.answer_phrases import Phrase, answer_phrases
from programs.rules.edits.pronouns import Pronouns, invented_like, pronoun_for, pronouns
from programs.rules.edits.rival_values import is_personal, rival_value, spoken_answer
from programs.rules.edits.style import Style, phrase
from programs.rules.edits.text import append_to_sentence, insert_sentence, replace_span
from programs.rules.recipes.ambiguity.material import in_bearing_passages
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe

MOST_PHRASES = 2
"""A passage that gives the answer more often than this can't be reworded without becoming clumsy."""
_PLACE_END = re.compile(r"(?:Falls|River|County|Lake|Park|City|Island|United|University|Band)$")


def _other(analysis: Analysis, rng: random.Random) -> str | None:
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


def _replaceable(passage: PassageAnalysis, text: str, here: Phrase, span: Span) -> bool:
    """Say whether 'A or B' can stand where the phrase stands: alone, in no list, and not as the head of an entry."""
    quoted = here.text[:1] in '"“' or text[here.span.end : here.span.end + 2] == "'s"
    glued = bool(span.start) and text[span.start - 1] in "-–("
    glossed = here.after is not None and here.after.text == "("
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


def _alternatives(analysis: Analysis, joined: str, tail: str, reasoning: str, *values: str) -> Draft | Declined:
    """Put 'A or B' where A stood; `joined` has places for {a}, {b} and {c}, `tail` ends the first such sentence."""

    def edit(passage: PassageAnalysis) -> str | None:
        text, found = passage.text, answer_phrases(passage)
        common = len(found) > 1 and not re.search(r"[A-Z\d]", found[0].text)
        if not found or len(found) > MOST_PHRASES or len({p.text for p in found}) > 1 or common:
            return None
        for number in range(len(found) - 1, -1, -1):
            here = found[number]
            span = _with_article(text, here)
            said = span.of(text)
            if not _replaceable(passage, text, here, span):
                return None
            shaped = [same_shape(said, v) for v in values]
            said = said[:1].lower() + said[1:] if re.match(r"(?:The|A|An) ", said) else said
            pattern = joined if number == 0 else joined.removeprefix("either ")
            new = pattern.format(a=said, b=shaped[0], c=shaped[-1])
            if number == 0 and tail:
                text = append_to_sentence(text, passage.sentence_at(here.span), tail)
            text = replace_span(text, span, new)
        return text

    return in_bearing_passages(analysis, edit, reasoning)


@recipe("ambiguity.sluiced_wh_ambiguity")
def sluiced_wh_ambiguity(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Make the answer one of two alternatives, with a bare 'it is not said which'."""
    if analysis.answer_type in (AnswerType.LIST, AnswerType.YES_NO):
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    other = _other(analysis, rng)
    if other is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of the answer's kind can be made")
    tails = phrase(
        style,
        ", but which is not said|, though which it was is left open",
        ", although the source does not say which|, and the records leave open which of the two",
    )
    reasoning = f"The answer became one of two alternatives, the other being '{other}'."
    return _alternatives(analysis, "either {a} or {b}", rng.choice(tails.split("|")), reasoning, other)


@recipe("ambiguity.either_or_coordination_scope")
def either_or_coordination_scope(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Coordinate the answer with two others by 'and' and 'or', so that the grouping is open."""
    named = all(w[0].isupper() for w in re.findall(r"[^\W\d_]{4,}", spoken_answer(analysis)))
    if not named or not is_personal(analysis) and analysis.answer_type not in (
        AnswerType.PLACE, AnswerType.TITLE, AnswerType.ORGANISATION
    ):  # fmt: skip
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    one, two = _other(analysis, rng), _other(analysis, rng)
    if one is None or two is None or one == two:
        return Declined(DeclineReason.ANSWER_TYPE, "no two other values of the answer's kind can be made")
    pattern = rng.choice(("{a} and {b} or {c}", "{a} or {b} and {c}"))
    return _alternatives(analysis, pattern, "", f"'{one}' and '{two}' were coordinated with the answer.", one, two)


def _full_name(analysis: Analysis) -> str | None:
    """Return the person asked for by the fullest plain name that the passages or the answers give."""
    names = [n.text for p in analysis.signal for n in p.names if analysis.is_answer(n.text)]
    named = [n.text for a in (spoken_answer(analysis),) for n in find_names(a)]
    plain = [n for n in (*named, *names) if not re.search(r"\d|\bOBE\b|,", n)]
    return max(plain, key=lambda n: (len(n.split()) > 1, -len(n)), default=None)


def _pronouns_for_all(passage: PassageAnalysis, forms: Pronouns) -> str | None:
    """Put a pronoun for every mention of the person; None where one stands where no pronoun fits."""
    text = passage.text
    for found in reversed(answer_phrases(passage)):
        glossed = re.match(r" \([^()]*\)(?= (?:is|was|has|had)\b)", text[found.span.end :])
        if glossed and found.preposition is None and found.stands_alone:
            text = replace_span(text, Span(found.span.start, found.span.end + glossed.end()), forms.subject)
            continue
        put = pronoun_for(text, found, forms) if found.stands_alone else None
        if put is None:
            return None
        text = replace_span(text, *put)
    return text


def _two_people(analysis: Analysis, rng: random.Random) -> tuple[str, str, Pronouns] | Declined:
    asked = analysis.question.wh in (WhWord.WHO, WhWord.WHOSE) or analysis.answer_type is AnswerType.PERSON
    if not is_personal(analysis) or not asked or _PLACE_END.search(spoken_answer(analysis)):
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no person")
    name, forms = _full_name(analysis), pronouns(analysis)
    if name is None or forms is None or " and " in name:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the person's name or gender is not clear")
    return name, invented_like(forms, rng), forms


@recipe("ambiguity.dual_eligible_pronoun")
def dual_eligible_pronoun(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Name the person asked for beside another, and tell the rest with a pronoun that fits both."""
    people = _two_people(analysis, rng)
    if isinstance(people, Declined):
        return people
    name, other, forms = people
    one, two = (name, other) if rng.random() < 0.5 else (other, name)
    said = rng.choice(
        phrase(
            style,
            f"{one} knew {two} well.|{one} and {two} had worked together.",
            f"{one} had been a close colleague of {two} for some years.|"
            f"{one} was often mentioned in the same breath as {two}.",
        ).split("|")
    )

    def edit(passage: PassageAnalysis) -> str | None:
        text = _pronouns_for_all(passage, forms)
        return insert_sentence(text, said, after=-1) if text is not None else None

    return in_bearing_passages(analysis, edit, f"Every mention became a pronoun that fits '{other}' as well.")


@recipe("ambiguity.multi_sentence_coreference_chain")
def multi_sentence_coreference_chain(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Introduce two people of equal rank and go on with pronouns alone."""
    people = _two_people(analysis, rng)
    if isinstance(people, Declined):
        return people
    name, other, forms = people
    one, two = (name, other) if rng.random() < 0.5 else (other, name)
    shared = rng.choice(("an office", "an agent", "a teacher", "a dressing room", "a flat"))
    her = forms.possessive
    said = phrase(
        style,
        f"{one} and {two} shared {shared}. {forms.subject.capitalize()} admired the other's work, and it was "
        f"mutual. One of them had long been waiting for {her} chance.",
        f"{one} and {two} shared {shared} when they were young. {forms.subject.capitalize()} thought highly of the "
        f"other's work and was thought highly of in return. It was not long before one of them had {her} chance, and "
        f"what follows is {her} story.",
    )

    def edit(passage: PassageAnalysis) -> str | None:
        text = _pronouns_for_all(passage, forms)
        return f"{said} {text}" if text is not None else None

    return in_bearing_passages(analysis, edit, f"A chain of pronouns goes back to '{name}' or to '{other}'.")
