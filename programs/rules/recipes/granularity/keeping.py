"""Shared by the recipes of LOW: what must hold for the answer to be kept, and the figure that it is."""

from demur.programs.rules.recipes.registry import Declined, DeclineReason
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.dates import find_dates
from demur.programs.text.quantities import Number, find_numbers

NOTE = "The sentence that gives the answer stands as it was, and nothing else answers the question."


def unanswered(analysis: Analysis) -> Declined | None:
    """Decline where the answer stands in no signal passage; a yes or no stands in none and is kept all the same."""
    stands = analysis.answer_type is AnswerType.YES_NO or any(p.gives_answer for p in analysis.signal)
    return None if stands else Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)


def figure_of(analysis: Analysis) -> Number | None:
    """Return the one plain figure that the accepted answer consists of, None where it is no such answer."""
    numbers = find_numbers(analysis.answer)
    plain = analysis.answer_type is AnswerType.NUMBER and len(numbers) == 1 and not find_dates(analysis.answer)
    return numbers[0] if plain and len(analysis.answer.split()) <= 4 else None
