"""HIGH: the question draws an invalid conclusion and asks about it as established."""

import random
import re

from demur.programs.rules.edits.grammar import is_plural, number_words
from demur.programs.rules.edits.rival_values import is_personal, spoken_answer
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.false_premise.high import NOTE
from demur.programs.rules.recipes.false_premise.phrasing import (
    Named,
    asking,
    fact_of,
    fronted,
    is_one_person,
    is_several,
    named,
    plural_clause,
    sort_of,
    spoken,
)
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import FactKind, Role
from demur.programs.text.names import NameKind


@recipe("false_premise.infinite_set_finite_size")
def infinite_set_finite_size(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the last member of an endless list."""
    fact, question = fact_of(analysis), analysis.question
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    be = "was" if fact.past else "is"
    if fact.kind is FactKind.COUNT and fact.unit and fact.unit != "times" and is_plural(fact.unit.split()[-1]):
        tail = f"that {fact.after}" if not fact.before else fact.after
        endless = f"infinitely many {fact.unit} {tail}".strip()
        text = phrase(
            style,
            f"which {be} the very last of the {endless}",
            f"which {be} the very last one, with none after it, of the {endless}",
        )
    elif fact.choices is not None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "a choice between two cannot be listed without end")
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


def _one_thing(analysis: Analysis) -> tuple[str, str] | None:
    """Return a single thing that the question or its answer names, and its sort; None where there is none."""
    thing = named(analysis)
    if (
        thing is not None
        and not is_several(thing)
        and thing.name[0].isupper()
        and "name" not in _before(analysis, thing)
    ):
        return spoken(analysis, thing), sort_of(analysis, thing)
    return (spoken_answer(analysis), "person") if is_one_person(analysis) else None


def _before(analysis: Analysis, thing: Named) -> list[str]:
    return analysis.question.bare[: thing.phrase.start].lower().split()[-2:]


def _letters(thing: str) -> str | None:
    """Return in words how many letters a name has, None for what is not plainly spelt."""
    plain = re.fullmatch(r"[A-Za-z][A-Za-z' .-]{3,}", thing) and len(thing.split()) <= 4
    return number_words(sum(c.isalpha() for c in thing)) if plain and not thing.lower().startswith("the ") else None


_KINDS = (("whale", "whales"), ("volcano", "volcanoes"), ("teapot", "teapots"), ("glacier", "glaciers"))
_SHARED = (
    ("can be seen", "can be seen"),
    ("have a name", "has a name"),
    ("can be talked about", "can be talked about"),
)


@recipe("false_premise.affirming_the_consequent")
def affirming_the_consequent(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Conclude from a shared trait that one thing is another, and ask about that."""
    about = _one_thing(analysis)
    if about is None:
        return Declined(DeclineReason.NO_TOPIC)
    (kind, plural), (many, one), name = rng.choice(_KINDS), rng.choice(_SHARED), about[0]
    text = phrase(
        style,
        f"since all {plural} {many} and {name} {one}, what kind of {kind} must {name} be",
        f"since all {plural} {many}, and {name} {one} and therefore must be a {kind}, what kind of {kind} must "
        f"{name} be",
    )
    return asking(analysis, text, f"That {name} is a {kind} does not follow.", NOTE)


_COMPOSED = {
    "person": ("no cell of {x} can be seen with the naked eye", "how was {x}, being just as invisible, ever found"),
    "place": (
        "every grain of soil in {x} weighs less than a feather",
        "what keeps {x}, which as a whole weighs just as little, from blowing away",
    ),
    "work": (
        "every single moment of {x} lasts less than a second",
        "how did anybody manage to follow {x}, the whole of which is over just as quickly",
    ),
    "body": (
        "every member of {x} has exactly one head",
        "on whose shoulders does the one head sit that {x} as a whole has",
    ),
}
_DIVIDED = {
    "person": ("{x} as a whole has two eyes", "what do the two eyes of each single hair of {x} see"),
    "place": (
        "{x} as a whole covers a great stretch of land",
        "how can each single pebble of {x}, covering just as much, be picked up",
    ),
    "work": (
        "{x} as a whole lasts longer than a minute",
        "how does the first second of {x}, lasting just as long, ever come to an end",
    ),
    "body": (
        "{x} as a whole consists of several people",
        "how many people does each single member of {x} therefore consist of",
    ),
}


def _handed_on(analysis: Analysis, style: Style, steps: dict[str, tuple[str, str]], letters: str) -> str | None:
    """Return 'since (what holds of one side), (a question that builds on it for the other)', None without a thing."""
    about = _one_thing(analysis)
    if about is None:
        return None
    x, sort = about
    if sort in steps:
        given, asked = steps[sort]
        link = phrase(style, "since", "seeing that")
        return f"{link} {given}, {asked}".replace("{x}", x)
    count = _letters(x)
    return letters.replace("{x}", x).replace("{n}", count) if count is not None else None


@recipe("false_premise.composition_fallacy")
def composition_fallacy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Hand a property of every part on to the whole."""
    letters = phrase(
        style,
        "since each part of the name {x} is a single letter, which single letter is the whole name {x}",
        "since every part of the name {x} is one single letter, and so the whole is one as well, which letter is the "
        "name {x}",
    )
    text = _handed_on(analysis, style, _COMPOSED, letters)
    if text is None:
        return Declined(DeclineReason.NO_TOPIC)
    return asking(analysis, text, "What holds of each part is taken to hold of the whole.", NOTE)


@recipe("false_premise.division_fallacy")
def division_fallacy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Hand a property of the whole down to a part."""
    letters = phrase(
        style,
        "since the name {x} has {n} letters, which {n} letters does its first letter consist of",
        "since the name {x} is made up of {n} letters, and so is every part of it, which {n} letters is its first "
        "letter made up of",
    )
    text = _handed_on(analysis, style, _DIVIDED, letters)
    if text is None:
        return Declined(DeclineReason.NO_TOPIC)
    return asking(analysis, text, "What holds of the whole is taken to hold of a part.", NOTE)


@recipe("false_premise.part_larger_than_whole")
def part_larger_than_whole(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask the question of a part that exceeds its whole."""
    thing = named(analysis)
    if thing is None or thing.kind is NameKind.PERSON or is_several(thing):
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
