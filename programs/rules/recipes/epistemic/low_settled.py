"""What the LOW recipes share: a question that sounds like a judgement, and remarks that let the text settle it."""

import random

from demur.programs.rules.edits.remarks import remark_everywhere
from demur.programs.rules.edits.style import Style
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft
from demur.programs.rules.subjects import find_subject
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType

_NOTE = "The sentence that gives the answer stands as it was, and it settles what sounds like a judgement."


def either(style: Style, terse: tuple[str, ...], elaborate: tuple[str, ...]) -> tuple[str, ...]:
    """Return the remarks for a style."""
    return terse if style is Style.TERSE else elaborate


def _answered(analysis: Analysis) -> bool:
    """Say whether a signal passage gives the answer; a yes or no stands in none and is kept all the same."""
    return analysis.answer_type is AnswerType.YES_NO or any(p.gives_answer for p in analysis.signal)


def with_remarks(
    analysis: Analysis, asked: str, remarks: tuple[str, ...], rng: random.Random, reasoning: str
) -> Draft | Declined:
    """Return the asked question with a remark in every signal passage, each about that passage's own subject."""
    if not _answered(analysis):
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    changed = remark_everywhere(analysis, find_subject(analysis), remarks, rng)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(asked, changed, reasoning, _NOTE)


def query_only(analysis: Analysis, asked: str, reasoning: str) -> Draft | Declined:
    """Return the asked question alone, where a signal passage answers it."""
    if not _answered(analysis):
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    return Draft(asked, {}, reasoning, _NOTE)
