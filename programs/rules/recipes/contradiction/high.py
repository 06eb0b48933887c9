"""HIGH: statements that no source and no context could reconcile, tied to the answer's own kind."""

import random
import re

from demur.programs.rules.edits.pools import change_magnitude
from demur.programs.rules.edits.rival_values import spoken_answer
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.edits.text import replace_span
from demur.programs.rules.recipes.contradiction.conflict import Conflict, read_conflict, written
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import FactKind
from demur.programs.text.dates import DatePrecision, find_dates, moved
from demur.programs.text.quantities import NumberKind, find_numbers

_LIFE = re.compile(r"\b(?:died|dies|killed|murdered|born|drowned|perished)\b")
_DEFINING = re.compile(
    r"\b(?:mean|means|meaning|definition|defined|full form|stands? for|another (?:name|term)|term|purpose|job)\b",
    re.IGNORECASE,
)


@recipe("contradiction.order_of_magnitude_clash")
def order_of_magnitude_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give the asked quantity again, ten to a thousand times as large or small."""
    answer = spoken_answer(analysis)
    numbers = [n for n in find_numbers(answer) if n.kind is not NumberKind.ORDINAL]
    if not numbers or find_dates(answer) or answer[:1].isupper() and numbers[0].span.start:  # 'Studio 33' is a name
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no quantity")
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    number = numbers[0]
    factor = 100.0 if number.kind is not NumberKind.PERCENT else 10.0 if number.value < 10 else 0.1
    other = replace_span(answer, number.span, change_magnitude(number, factor))
    other = other[:1].lower() + other[1:] if answer[:1].islower() or number.in_words else other
    opening = phrase(
        style,
        "the official statistics, final and unrevised, state that",
        "the official statistics, which are final and cover the same time and place, state that",
    )
    said = f"{opening} {found.fact.state(other)}"
    reasoning = "The asked quantity is given a second time, out by orders of magnitude."
    return written(analysis, rng, said, reasoning, "Both figures stand in the passages and can't be reconciled.")


@recipe("contradiction.self_negating_definition")
def self_negating_definition(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Define the asked term as the answer and as not the answer."""
    if not _DEFINING.search(analysis.question.text):
        return Declined(DeclineReason.ANSWER_TYPE, "the question does not ask what something means or is for")
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    if found.fact.kind not in (FactKind.EQUATION, FactKind.OBJECT, FactKind.SUBJECT):
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    opening = phrase(style, "by its only valid definition,", "by the one definition that is recognised as valid,")
    said = f"{opening} {found.original}, and by that very definition {found.denial_again}"
    return written(
        analysis, rng, said, "The definition takes back what it says.", "The answer is defined and undefined at once."
    )


@recipe("contradiction.temporal_paradox")
def temporal_paradox(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Arrange the times so that the asked event cannot have happened."""
    answer = spoken_answer(analysis)
    dates = [d for d in find_dates(answer) if d.year is not None]
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    acted = found.fact.kind is FactKind.SUBJECT and found.fact.past and not _LIFE.search(found.fact.after)
    if acted and found.personal and " and " not in answer:
        said = _unborn(found, style)
    elif len(dates) == 1 and found.fact.kind is FactKind.ADJUNCT and dates[0].precision is not DatePrecision.CENTURY:
        earlier = replace_span(answer, dates[0].span, moved(dates[0], years=-10))
        said = phrase(
            style,
            f"by the official record, {found.original}, and the tenth anniversary of this was kept "
            f"{found.fact.fill(earlier)}, ten years before it happened",
            f"according to the official record, {found.original}, although the tenth anniversary of that very event "
            f"had already been celebrated {found.fact.fill(earlier)}, ten years before it took place",
        )
    else:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is neither a date nor a person who did something")
    return written(
        analysis,
        rng,
        said,
        "The times given make the asked event impossible.",
        "The answer stands, but cannot be true.",
    )


def _unborn(found: Conflict, style: Style) -> str:
    deed = found.fact.after
    return phrase(
        style,
        f"by the official record, {found.answer} was born ten years after the day on which {found.answer} {deed}",
        f"the official record states that {found.answer} {deed}, and that the same {found.answer} was not born until "
        "ten years afterwards",
    )


@recipe("contradiction.life_death_inconsistency")
def life_death_inconsistency(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the person of the answer be dead and alive at the time in question."""
    found = read_conflict(analysis, rng)
    if isinstance(found, Declined):
        return found
    person, fact = found.answer, found.fact
    if _LIFE.search(fact.after):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the question itself is about birth or death")
    if not found.personal or " and " in person or fact.kind not in (FactKind.SUBJECT, FactKind.EQUATION):
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no single person")
    if fact.kind is FactKind.SUBJECT and fact.past:
        said = phrase(
            style,
            f"the civil registers show that {person} had been dead for ten years when {person} {fact.after}, "
            f"and that {person} was alive on that very day",
            f"according to the civil registers, {person} had been dead for ten years when {person} {fact.after}; "
            f"according to the same registers, {person} was alive on that very day and for long afterwards",
        )
    else:
        noun = fact.noun or f"the person who {fact.after}"
        said = phrase(
            style,
            f"the civil registers show that {person}, {noun}, died ten years ago and is alive today",
            f"according to the civil registers, {person}, {noun}, died ten years ago; according to the same registers, "
            f"{person} has never died and is alive today",
        )
    note = "The person named by the answer is said to have been dead and alive at once."
    return written(analysis, rng, said, "Life and death of the person asked for are asserted together.", note)
