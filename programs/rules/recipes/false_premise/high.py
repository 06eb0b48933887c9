"""HIGH: the question asks about something that its own words rule out."""

import random
import re

from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.edits.rival_people import is_mans_name
from demur.programs.rules.edits.rival_values import is_personal, spoken_answer
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.false_premise.phrasing import (
    asking,
    fact_of,
    gerund,
    inserted,
    is_one_person,
    named,
    spoken,
)
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import AskedFact, FactKind, Role
from demur.programs.text.dates import find_dates
from demur.programs.text.questions import WhWord

NOTE = "The passages are untouched; no passage could answer a question that rules itself out."
_ABSTRACT = re.compile(
    r"^the (?:meaning|name|title|origin|cause|job|term|number|age|population|type|kind|time|purpose|source|area)\b"
)


@recipe("false_premise.before_its_own_beginning")
def before_its_own_beginning(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put the asked fact at a time that cannot exist."""
    question, fact = analysis.question, fact_of(analysis)
    if (
        not question.is_well_formed
        or "," in question.bare
        or question.wh in (WhWord.NONE, WhWord.YES_NO)
        or fact is None
    ):
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    if not fact.past:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "what is asked holds at no one time")
    time = rng.choice(
        (
            phrase(
                style, "on the day that came before itself", "on the one day that came both before and after itself"
            ),
            phrase(style, "in the year that ended before it began", "in the one year that ended before it had begun"),
        )
    )
    return asking(analysis, f"{question.bare} {time}", "The time asked about cannot exist.", NOTE)


@recipe("false_premise.self_contradictory_entity")
def self_contradictory_entity(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Identify what is asked for by a description that takes itself back."""
    fact, question = fact_of(analysis), analysis.question
    if fact is None or fact.choices is not None or "," in question.bare:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    reasoning = "The description takes back what it says."
    if fact.kind is FactKind.SUBJECT and gerund(fact) is not None and fact.past:
        extra = phrase(style, "without ever having done so", "without ever, at any time, having done so")
        return asking(analysis, f"{question.bare} {extra}", reasoning, NOTE)
    if fact.kind is FactKind.SUBJECT and fact.verb is not None and fact.verb not in {"can", "could", "would"}:
        never = (
            f"never {fact.after}"
            if gerund(fact) is not None
            else fact.after.replace(fact.verb, f"{fact.verb} never", 1)
        )
        thing = "person" if is_personal(analysis) else "thing"
        return asking(analysis, f"which {thing} that {never} {fact.after}", reasoning, NOTE)
    if fact.kind is FactKind.EQUATION and fact.noun and fact.noun.startswith("the ") and not _is_many(fact.noun):
        be = "was" if fact.past else "is"
        wh = "who" if is_personal(analysis) else "what"
        extra = phrase(style, f"that {be} not {fact.noun}", f"that {be} in no way {fact.noun}")
        return asking(analysis, f"{wh} {be} the one {fact.noun.removeprefix('the ')} {extra}", reasoning, NOTE)
    if fact.kind is FactKind.ADJUNCT and question.auxiliary == "did":
        return asking(analysis, f"{question.bare} without ever having done so", reasoning, NOTE)
    return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing in the question can be taken back in a few words")


def _is_many(noun: str) -> bool:
    """Say whether a noun phrase is plural: 'the democratic candidates running for governor'."""
    head = re.split(r" (?:of|in|on|for|at|that|who|which|by|from|\w+ing) ", noun)[0]
    return is_plural(head.split()[-1].lower())


@recipe("false_premise.impossible_property")
def impossible_property(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask the question of a thing that logic rules out."""
    thing = named(analysis)
    if thing is None or spoken(analysis, thing).lower().startswith(("a ", "an ")):
        return Declined(DeclineReason.NO_TOPIC)
    if thing.work and thing.closed:
        wording = phrase(
            style,
            "in the version that is longer than itself",
            "in the one version that is both longer and shorter than itself",
        )
        return asking(analysis, inserted(analysis, thing, wording), "No version can be longer than itself.", NOTE)
    about = spoken(analysis, thing)
    shape = rng.choice(("square circle", "three-sided square", "round triangle"))
    text = phrase(
        style,
        f"how wide is the {shape} named after {about}",
        f"what is the exact width of the {shape} that was named after {about}",
    )
    return asking(analysis, text, f"There can be no {shape}.", NOTE)


@recipe("false_premise.category_swap")
def category_swap(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask of the answer for a property that only things of another kind have."""
    fact = fact_of(analysis)
    if fact is None or fact.noun is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    noun = fact.noun
    dated = fact.role is Role.WHEN or bool(find_dates(spoken_answer(analysis))) and not is_personal(analysis)
    if dated:
        text = phrase(style, f"how many kilograms does {noun} weigh", f"how much in kilograms does {noun} weigh")
    elif is_personal(analysis):
        text = phrase(
            style, f"what is the square root of {noun}", f"what is the square root, to two decimals, of {noun}"
        )
    elif analysis.answer_type in (AnswerType.NUMBER, AnswerType.MONEY) or _ABSTRACT.match(noun):
        text = phrase(style, f"what colour are the eyes of {noun}", f"what is the exact colour of the eyes of {noun}")
    else:
        text = phrase(style, f"what is the past tense of {noun}", f"what is the grammatical past tense of {noun}")
    return asking(analysis, text, "The property belongs to another kind of thing.", NOTE)


def _lifeless(analysis: Analysis, fact: AskedFact) -> str | None:
    """Return a name for something without a mind that the fact is about."""
    answer = spoken_answer(analysis)
    dates = find_dates(answer)
    if dates and dates[0].year and len(dates) == 1:
        return f"the year {dates[0].year}"
    thing = named(analysis)
    if thing is not None and thing.work:
        return thing.text(analysis)
    if is_personal(analysis):
        return f"the name {answer}" if is_one_person(analysis) else None
    if analysis.answer_type is AnswerType.NUMBER and re.fullmatch(r"[\d,.]+|[a-z]+", answer):
        return f"the number {answer}"
    return f"the word {answer}" if " " not in answer and answer.isalpha() and fact.asked else None


@recipe("false_premise.inanimate_agent")
def inanimate_agent(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let a date, a name, a number or a work do what takes a mind."""
    fact = fact_of(analysis)
    if fact is None or fact.asked is None or fact.kind is FactKind.POLAR:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    agent = _lifeless(analysis, fact)
    if agent is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing lifeless is named")
    text = rng.choice(
        (
            phrase(
                style,
                f"to whom did {agent} confess in tears {fact.asked}",
                f"to which of its friends did {agent} confess in tears {fact.asked}",
            ),
            phrase(
                style,
                f"why did {agent} refuse to say {fact.asked}",
                f"why did {agent} swear under oath that it would never say {fact.asked}",
            ),
        )
    )
    return asking(analysis, text, f"'{agent}' has no mind.", NOTE)


@recipe("false_premise.married_bachelor")
def married_bachelor(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the spouse, or the siblings, of a person who by definition has none."""
    fact, person = fact_of(analysis), spoken_answer(analysis)
    if fact is None or fact.noun is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    if not is_one_person(analysis) or re.search(r"\bname\b", fact.noun):
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no single person")
    states = [("unmarried and never-married", "spouse"), ("only child", "eldest sibling")]
    if is_mans_name(person):
        states.append(("never-married bachelor", "wife"))
    lone, kin = rng.choice(states)
    be = "was" if fact.past else "is"
    noun = fact.noun
    if lone == "unmarried and never-married":
        text = phrase(
            style,
            f"what {be} the name of the spouse of the never-married {person}, {noun}",
            f"whom did {person}, {noun}, marry while never marrying anybody",
        )
    else:
        text = phrase(
            style,
            f"what {be} the name of the {kin} of the {lone} {person}, {noun}",
            f"what {be} the name of the {kin} of {person}, {noun}, who {be} a lifelong {lone}",
        )
    return asking(analysis, text, f"A {lone} has no {kin}.", NOTE)
