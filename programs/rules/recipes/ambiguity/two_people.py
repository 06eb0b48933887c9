"""MEDIUM in context: pronouns that fit the person asked for and another one as well."""

import random
import re

from demur.programs.rules.edits.answer_phrases import answer_phrases
from demur.programs.rules.edits.pronouns import HE, SHE, Pronouns, gender_of, invented_like, pronoun_for, pronouns
from demur.programs.rules.edits.rival_people import is_long_ago, is_of_a_man, is_of_a_woman
from demur.programs.rules.edits.rival_values import is_personal, spoken_answer
from demur.programs.rules.edits.spoken_fact import spoken_fact
from demur.programs.rules.edits.style import Style, phrase, pick
from demur.programs.rules.edits.text import insert_sentence, replace_span
from demur.programs.rules.recipes.ambiguity.material import accepts_several, in_bearing_passages
from demur.programs.rules.recipes.ambiguity.one_of_two import (
    pair_of,
    person_told,
    told_instead,
    told_of_either,
)
from demur.programs.rules.recipes.ambiguity.pair_words import chained, introduced
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import asked_fact
from demur.programs.text.names import find_names
from demur.programs.text.questions import WhWord
from demur.programs.text.spans import Span

_MOST_ANSWERS = 3
_UNSURE = Declined(DeclineReason.NO_SUITABLE_SPAN, "the person's gender is not clear")
_PLACE_END = re.compile(r"(?:Falls|River|County|Lake|Park|City|Island|United|University|Band)$")


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


def _names_left(text: str, name: str) -> bool:
    """Say whether a text still calls the person by the last name."""
    last = name.split()[-1].rstrip(".")
    return re.search(rf"\b{re.escape(last)}\b", text) is not None


def _two_people(analysis: Analysis, rng: random.Random) -> tuple[str, str, Pronouns] | Declined:
    asked = analysis.question.wh in (WhWord.WHO, WhWord.WHOSE) or analysis.answer_type is AnswerType.PERSON
    if not is_personal(analysis) or not asked or _PLACE_END.search(spoken_answer(analysis)):
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no person")
    name, forms, question = _full_name(analysis), pronouns(analysis), analysis.question.text
    fact = asked_fact(analysis)
    if fact is not None and fact.choices is not None:
        return Declined(DeclineReason.ANSWER_TYPE, "the question itself names two people")
    if is_of_a_woman(question) and forms is HE or is_of_a_man(question) and forms is SHE:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the question tells another gender than the name")
    if name is None or " and " in name or " " not in name:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the person's name is not clear")
    if forms is None:
        return _UNSURE
    if gender_of(name) not in (None, forms) or accepts_several(analysis):
        return Declined(DeclineReason.ANSWER_TYPE, "several people are accepted")
    if is_long_ago(analysis):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no invented name would fit the time")
    return name, invented_like(forms, rng), forms


def _or_told_anew(
    made: Draft | Declined, analysis: Analysis, people: tuple[str, str, Pronouns], said: str
) -> Draft | Declined:
    """Return what was made; where the passage's own sentences take no pronoun, the fact told anew behind `said`."""
    name, other, forms = people
    told = person_told(spoken_fact(analysis), forms) if isinstance(made, Declined) else None
    if told is None or len(analysis.base.answers) > _MOST_ANSWERS:
        return made
    last = name.split()[-1].rstrip(".")
    return told_instead(analysis, said, told, f"The fact is told of a pronoun that fits '{other}' as well.", last)


@recipe("ambiguity.dual_eligible_pronoun")
def dual_eligible_pronoun(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Name the person asked for beside another, and tell the rest with a pronoun that fits both."""
    people = _two_people(analysis, rng)
    if isinstance(people, Declined):
        pair = people if is_personal(analysis) and people is not _UNSURE else pair_of(analysis, rng)
        if isinstance(pair, Declined):
            return pair
        reasoning = f"The fact is told in words that fit '{pair.one}' and '{pair.two}' alike."
        return told_of_either(analysis, pair, introduced(pair, style, rng), reasoning)
    name, other, forms = people
    one, two = (name, other) if rng.random() < 0.5 else (other, name)
    said = pick(
        style,
        rng,
        (
            f"{one} and {two} knew each other well.",
            f"{one} and {two} had worked together.",
            f"{one} and {two} were of the same age.",
            f"{one} and {two} often met.",
        ),
        (
            f"{one} and {two} had been close colleagues for some years.",
            f"{one} and {two} were often mentioned in the same breath.",
            f"{one} and {two} had started out in the same year and were often compared.",
            f"{one} and {two} had known each other long before any of this.",
        ),
    )

    def edit(passage: PassageAnalysis) -> str | None:
        text = _pronouns_for_all(passage, forms)
        return insert_sentence(text, said, after=-1) if text is not None and not _names_left(text, name) else None

    made = in_bearing_passages(analysis, edit, f"Every mention became a pronoun that fits '{other}' as well.")
    return _or_told_anew(made, analysis, people, said)


@recipe("ambiguity.multi_sentence_coreference_chain")
def multi_sentence_coreference_chain(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Introduce two people of equal rank and go on with pronouns alone."""
    people = _two_people(analysis, rng)
    if isinstance(people, Declined):
        pair = people if is_personal(analysis) and people is not _UNSURE else pair_of(analysis, rng)
        if isinstance(pair, Declined):
            return pair
        reasoning = f"A chain without names goes back to '{pair.one}' or to '{pair.two}'."
        return told_of_either(analysis, pair, chained(pair, style, rng), reasoning)
    name, other, forms = people
    one, two = (name, other) if rng.random() < 0.5 else (other, name)
    shared = rng.choice(("an office", "a teacher", "a house", "a flat"))
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
        return f"{said} {text}" if text is not None and not _names_left(text, name) else None

    made = in_bearing_passages(analysis, edit, f"A chain of pronouns goes back to '{name}' or to '{other}'.")
    return _or_told_anew(made, analysis, people, said)
