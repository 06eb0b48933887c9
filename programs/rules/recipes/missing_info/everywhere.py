"""The strategy of the class: one edit in every passage that gives the answer."""

from demur.programs.rules.edits.strategy import Edit, remove_answer_everywhere
from demur.programs.rules.recipes.missing_info.remains import what_stays
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft
from demur.programs.text.analysis import Analysis


def everywhere(analysis: Analysis, edit: Edit, reasoning: str) -> Draft | Declined:
    """Make one edit in every passage that gives the answer."""
    if not analysis.answering:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    changed = remove_answer_everywhere(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    stays = what_stays(analysis, changed)
    if stays is not None:
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, stays)
    return Draft(analysis.question.text, changed, reasoning, "No passage gives an accepted answer any more.")
