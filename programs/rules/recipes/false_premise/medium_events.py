"""MEDIUM: the question is about an event, a product, a resignation or a grave that the passages do not know."""

import random
import re

from demur.programs.rules.edits.rival_values import is_personal, spoken_answer
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.false_premise.medium import NOTE
from demur.programs.rules.recipes.false_premise.phrasing import asking, fact_of, fronted, gerund, named
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import FactKind
from demur.programs.text.names import NameKind

_ROLE = re.compile(
    r"\b(?:captain|president|director|leader|king|queen|governor|mayor|head|chair\w*|secretary|coach|judge|speaker|minister|"
    r"chief|manager|editor|officer|ambassador|principal|dean|host|conductor|vice-chair|senator|opposition leader)\b",
    re.IGNORECASE,
)
_GIVEN_UP = re.compile(
    r"\b(?:resign\w*|step(?:ped|s)? down|abdicat\w*|retir\w*|succeeded by|replaced by|withdr[ae]w\w*)\b"
)
_DEAD = re.compile(r"\b(?:died|death|dead|buried|late|killed|deceased|posthumous\w*|was an?|fictional)\b")
_LIVING = re.compile(r"^ ?\((?:[^)]*?)born[^)–-]*\)|^ is an? ")


@recipe("false_premise.fabricated_event")
def fabricated_event(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the course of an event that never took place."""
    fact, thing = fact_of(analysis), named(analysis)
    asked = fact.asked if fact is not None and fact.choices is None and fact.kind is not FactKind.POLAR else None
    if asked is not None and not re.match(r"(?:what|which) (?:some|any|a|an)\b", asked):
        text = rng.choice(
            (
                phrase(style, "which court decided the lawsuit over", "which court finally decided the lawsuit over"),
                phrase(style, "who led the public inquiry into", "who was chosen to lead the public inquiry into"),
                phrase(style, "who resigned in the scandal over", "who had to resign in the scandal over"),
            )
        )
        noun = re.fullmatch(r"what (?P<noun>(?:the|a|an) .+) (?:is|are|was|were)", asked)
        text = f"{text} {noun['noun'] if noun else asked}"
    elif thing is not None:
        affair = rng.choice(("affair", "scandal", "lawsuit"))
        text = phrase(
            style, f"how did the {thing.name} {affair} end", f"how did the famous {thing.name} {affair} come to an end"
        )
    else:
        return Declined(DeclineReason.NO_TOPIC)
    return asking(analysis, text, "The event asked about is invented.", NOTE)


@recipe("false_premise.phantom_product_line")
def phantom_product_line(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask the question of a spin-off that was never made."""
    thing = named(analysis)
    if thing is None:
        return Declined(DeclineReason.NO_TOPIC)
    if not thing.work:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the question names no work or product")
    spin_off = rng.choice(("radio opera", "puppet musical", "ice revue", "board-game edition"))
    if any(spin_off in p.text for p in analysis.passages):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the spin-off stands in the passages")
    wording = phrase(style, f"the {spin_off} based on", f"the official {spin_off} that is based on")
    text = fronted(analysis, thing, wording)
    if text is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing can stand before the name")
    return asking(analysis, text, f"The {spin_off} does not exist.", NOTE)


@recipe("false_premise.abdication_falsehood")
def abdication_falsehood(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask about a withdrawal of the person of the answer that the passages do not know."""
    fact, person = fact_of(analysis), spoken_answer(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    if not is_personal(analysis) or " and " in person or fact.choices is not None:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no single person")
    if any(_GIVEN_UP.search(p.text) for p in analysis.signal):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the passages do speak of a withdrawal")
    reasoning = "A withdrawal is presupposed that the passages do not know."
    if fact.kind is FactKind.EQUATION and fact.noun and _ROLE.search(fact.noun.split(" of ")[0]):
        text = phrase(
            style,
            f"why did {person} step down as {fact.noun}",
            f"in whose favour did {person} step down as {fact.noun}",
        )
        return asking(analysis, text, reasoning, NOTE)
    doing = gerund(fact)
    if (
        fact.kind is FactKind.SUBJECT
        and doing is not None
        and re.match(
            r"(?:playing|leading|running|hosting|presiding|coaching|voicing|ruling|governing|conducting|directing|producing)\b",
            doing,
        )
    ):
        text = phrase(style, f"why did {person} give up {doing}", f"who took over when {person} gave up {doing}")
        return asking(analysis, text, reasoning, NOTE)
    return Declined(DeclineReason.NO_SUITABLE_SPAN, "the person holds no role that could be given up")


@recipe("false_premise.burial_of_living_person")
def burial_of_living_person(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the grave of a person who is alive by the passages."""
    living = []
    for passage in analysis.signal:
        for name in passage.names:
            after = passage.text[name.span.end : name.span.end + 120]
            sentence = passage.sentence_at(name.span)
            whole = name.kind is NameKind.PERSON and len(name.text.split()) >= 2
            if (
                whole
                and name.span.start == sentence.span.start
                and _LIVING.search(after)
                and not _DEAD.search(passage.text)
            ):
                living.append(name.text)
    if not living:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the passages show no living person")
    person = living[0]
    fact = fact_of(analysis)
    role = ""
    if fact is not None and fact.noun and analysis.is_answer(person) and is_personal(analysis):
        role = f", {fact.noun},"
    text = phrase(style, f"where is {person}{role} buried", f"in which cemetery was {person}{role} buried")
    return asking(analysis, text, f"By the passages {person} is alive.", NOTE)
