"""HIGH: the question draws an invalid conclusion and asks about it as established."""

import random
import re

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.asked_fact import FactKind, Role, asked_fact
from programs.rules.analysis.names import NameKind
from programs.rules.edits.grammar import number_words
from programs.rules.edits.rival_values import is_personal, spoken_answer
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.false_premise.high import NOTE
from programs.rules.recipes.false_premise.phrasing import asking, fronted, named, plural_clause
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe


@recipe("false_premise.infinite_set_finite_size")
def infinite_set_finite_size(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the last member of an endless list."""
    fact, question = asked_fact(analysis), analysis.question
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    be = "was" if fact.past else "is"
    if fact.kind is FactKind.COUNT and fact.unit and fact.unit != "times":
        tail = f"that {fact.after}" if not fact.before else fact.after
        endless = f"infinitely many {fact.unit} {tail}".strip()
        text = phrase(
            style,
            f"which {be} the very last of the {endless}",
            f"which {be} the very last one, with none after it, of the {endless}",
        )
    elif fact.kind is FactKind.SUBJECT and is_personal(analysis) and question.wh.value == "who":
        text = phrase(
            style,
            f"what is the last name on the endless list of people who {plural_clause(fact)}",
            f"what is the very last name on the list, which has no end, of people who {plural_clause(fact)}",
        )
    elif fact.kind is FactKind.ADJUNCT and fact.role is Role.WHEN:
        text = phrase(
            style,
            f"what is the last date on the endless list of dates on which {fact.before}",
            f"what is the very last date on the list, which has no end, of dates on which {fact.before}",
        )
    elif fact.kind is FactKind.ADJUNCT:
        text = phrase(
            style,
            f"what is the last place on the endless list of places where {fact.before}",
            f"what is the very last place on the list, which has no end, of places where {fact.before}",
        )
    else:
        return Declined(
            DeclineReason.NO_SUITABLE_SPAN, "the question asks for nothing that could be listed without end"
        )
    return asking(analysis, text, "An endless list has no last entry.", NOTE)


def _written_name(analysis: Analysis) -> str | None:
    """Return a name whose letters can be spoken of: that of the topic, else of the answer."""
    thing = named(analysis)
    for name in (thing.name if thing is not None else "", spoken_answer(analysis)):
        words = name.split()
        written = re.fullmatch(r"[A-Za-z][A-Za-z' .-]{3,}", name) and len(words) <= 4
        if written and words[0][0].isupper() and words[-1][0].isupper():
            return name
    return None


@recipe("false_premise.affirming_the_consequent")
def affirming_the_consequent(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Conclude from a shared trait that one thing is another, and ask about that."""
    fact, name = asked_fact(analysis), _written_name(analysis)
    if fact is None or name is None:
        return Declined(DeclineReason.NO_TOPIC)
    kind, plural = rng.choice((("whale", "whales"), ("volcano", "volcanoes"), ("teapot", "teapots")))
    text = phrase(
        style,
        f"since all {plural} can be seen and {name} can be seen, what kind of {kind} must {name} be",
        f"since all {plural} can be seen, and {name} can be seen and therefore must be a {kind}, what kind "
        f"of {kind} must {name} be",
    )
    return asking(analysis, text, f"That {name} is a {kind} does not follow.", NOTE)


@recipe("false_premise.composition_fallacy")
def composition_fallacy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Hand a property of every part on to the whole."""
    fact, person = asked_fact(analysis), spoken_answer(analysis)
    reasoning = "What holds of each part is taken to hold of the whole."
    if (
        fact is not None
        and fact.noun
        and is_personal(analysis)
        and " and " not in person
        and fact.kind is FactKind.SUBJECT
    ):
        text = phrase(
            style,
            f"since no cell of {person}, {fact.noun}, can be seen with the naked eye, how was the invisible "
            f"{person} ever found",
            f"since not a single cell of {person}, {fact.noun}, can be seen with the naked eye, how did anybody ever "
            "find the "
            f"wholly invisible {person}",
        )
        return asking(analysis, text, reasoning, NOTE)
    name = _written_name(analysis)
    if name is None:
        return Declined(DeclineReason.NO_TOPIC)
    text = phrase(
        style,
        f"since each part of the name {name} is a single letter, which single letter is the whole name {name}",
        f"since every part of the name {name} is one single letter, and so the whole is one as well, which letter "
        f"is the name {name}",
    )
    return asking(analysis, text, reasoning, NOTE)


@recipe("false_premise.division_fallacy")
def division_fallacy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Hand a property of the whole down to a part."""
    name = _written_name(analysis)
    if name is None:
        return Declined(DeclineReason.NO_TOPIC)
    count = number_words(sum(c.isalpha() for c in name))
    text = phrase(
        style,
        f"since the name {name} has {count} letters, which {count} letters does its first letter consist of",
        f"since the name {name} is made up of {count} letters, and so is every part of it, which "
        f"{count} letters is its first letter made up of",
    )
    return asking(analysis, text, "What holds of the whole is taken to hold of a part.", NOTE)


@recipe("false_premise.part_larger_than_whole")
def part_larger_than_whole(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask the question of a part that exceeds its whole."""
    thing = named(analysis)
    if thing is None or thing.kind is NameKind.PERSON:
        return Declined(DeclineReason.NO_TOPIC)
    if not (thing.work or thing.kind is NameKind.PLACE):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the thing named has no extent")
    size = "longer" if thing.work else "larger"
    wording = phrase(
        style, f"the half that is {size} than the whole of", f"the one half that is {size} than the undivided whole of"
    )
    text = fronted(analysis, thing, wording)
    if text is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing can stand before the name")
    return asking(analysis, text, "No part exceeds its whole.", NOTE)
