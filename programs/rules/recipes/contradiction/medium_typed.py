"""MEDIUM levers that need an answer of one kind: a date, a place, a measure, one of two events, a person."""

import random
import re

from demur.programs.rules.edits.rival_values import is_personal, spoken_answer
from demur.programs.rules.edits.style import Style, phrase, pick
from demur.programs.rules.recipes.contradiction.conflict import read_conflict, written
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import FactKind, Role, asked_fact
from demur.programs.text.dates import find_dates
from demur.programs.text.names import NameKind, find_names
from demur.programs.text.quantities import find_numbers
from demur.programs.text.questions import WhWord

_NOTE = "The answer still stands in the passages; a source of equal weight gives another value."
_UNITS = {
    "m": "ft", "metres": "feet", "meters": "feet", "ft": "m", "feet": "metres", "km": "miles", "kilometres": "miles",
    "kilometers": "miles", "miles": "kilometres", "kg": "lb", "pounds": "kilograms", "lb": "kg", "tonnes": "pounds",
    "inches": "centimetres", "inch": "centimetre", "acres": "hectares", "hectares": "acres", "hours": "days",
    "days": "weeks", "weeks": "months", "months": "years", "minutes": "hours", "week": "month", "year": "month",
    "years": "months", "litres": "gallons", "mph": "km/h",
}  # fmt: skip
_ORDER = re.compile(r"\b(?:first|earlier|earliest|before|older|oldest|younger|youngest|later|last)\b", re.IGNORECASE)


@recipe("contradiction.dual_authoritative_dates")
def dual_authoritative_dates(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give the asked date again, differently, from a source of the same rank."""
    if not find_dates(spoken_answer(analysis)):
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no date")
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "the date cannot be moved")
    keeper = rng.choice(("the state archive", "the university library", "the national register"))
    opening = pick(
        style,
        rng,
        (
            f"{keeper}, an equally reliable source, gives another date:",
            f"the records of {keeper}, just as reliable, have another date:",
        ),
        (
            f"the records of {keeper}, which historians trust just as much, give another date:",
            f"according to the files of {keeper}, a source of the same standing,",
        ),
    )
    return written(
        analysis, rng, f"{opening} {found.opposite}", "A second authority dates the event differently.", _NOTE
    )


@recipe("contradiction.spatial_location_clash")
def spatial_location_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put the asked thing into another place, with equal authority."""
    fact = asked_fact(analysis)
    typed = analysis.answer_type is AnswerType.PLACE and analysis.question.wh is not WhWord.WHO
    located = (typed or (fact is not None and fact.role is Role.WHERE)) and not is_personal(analysis)
    if not located:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no place")
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other place of this kind can be made")
    source = rng.choice(("the official directory", "the official register", "the standard handbook"))
    opening = pick(
        style,
        rng,
        (f"{source}, equally reliable, states that", f"{source}, just as reliable, has another place:"),
        (
            f"{source}, which is no less reliable, states instead that",
            f"{source}, on which scholars rely just as much, gives another place and states that",
        ),
    )
    return written(analysis, rng, f"{opening} {found.opposite}", "A second authority gives another place.", _NOTE)


@recipe("contradiction.conflicting_units")
def conflicting_units(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Repeat the asked figure with a unit that makes it another quantity."""
    answer = spoken_answer(analysis)
    numbers = [n for n in find_numbers(answer) if n.unit in _UNITS]
    if not numbers:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no figure with a unit")
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    unit = numbers[0].unit or ""
    other = re.sub(rf"(?<![A-Za-z]){re.escape(unit)}(?![A-Za-z])", _UNITS[unit], answer)
    opening = phrase(
        style,
        "the official data sheet, just as exact, states that",
        "the official data sheet, which claims the same precision, states that",
    )
    said = f"{opening} {found.fact.state(other)}"
    return written(analysis, rng, said, "The same figure is given in a unit that makes it another quantity.", _NOTE)


@recipe("contradiction.temporal_sequence_reversal")
def temporal_sequence_reversal(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Turn round the order on which the choice between two things depends."""
    fact = asked_fact(analysis)
    if fact is None or fact.choices is None or not _ORDER.search(fact.after):
        return Declined(DeclineReason.ANSWER_TYPE, "the question does not ask which of two came first")
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.rival is None:
        return Declined(DeclineReason.ANSWER_TYPE, "the other of the two cannot be told")
    other = next(c for c in fact.choices if c != found.rival)
    opening = phrase(
        style,
        "the records of both give the reverse order:",
        "the records of both, which are complete, give the reverse order:",
    )
    said = f"{opening} {fact.stress(found.rival)}, and not {other}"
    return written(analysis, rng, said, "The order of the two is turned round.", _NOTE)


@recipe("contradiction.agent_patient_reversal")
def agent_patient_reversal(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Exchange the one who acts and the one acted upon, where both are persons."""
    fact = asked_fact(analysis)
    if fact is None or fact.kind is not FactKind.SUBJECT or not fact.past or fact.verb is None:
        return Declined(DeclineReason.ANSWER_TYPE, "the question does not ask who did something")
    rest = fact.after[len(fact.verb) :].strip() if fact.after.startswith(fact.verb) else ""
    names = [n for n in find_names(rest) if n.span.start == 0 and n.kind is NameKind.PERSON]
    if not names or fact.verb in {"was", "were", "had", "played", "wrote", "sang"}:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the verb has no person as its object")
    patient, tail = names[0].text, rest[names[0].span.end :].strip()
    agent = spoken_answer(analysis)
    opening = phrase(style, "the files of both say that", "the files of both, which are equally complete, say that")
    said = f"{opening} it was {patient} who {fact.verb} {agent} {tail}, not the other way round".replace(" ,", ",")
    return written(analysis, rng, said, "Agent and patient of the asked event are exchanged.", _NOTE)
