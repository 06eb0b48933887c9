"""The strategy of the class: one edit in every passage that gives the answer."""

import re

from programs.rules.analysis.analysis import Analysis
from programs.rules.edits.strategy import Edit, remove_answer_everywhere
from programs.rules.recipes.registry import Declined, DeclineReason, Draft


def _derived(analysis: Analysis, text: str) -> bool:
    """Say whether a word made from a one-word answer stands in the text: 'Bulgarian' for 'Bulgaria'."""
    asked = analysis.question.text.lower()
    for answer in analysis.base.answers:
        stem = re.fullmatch(r"(?:in |the )*([^\W\d_]{5,}?)[eya]?", answer.strip().lower())
        found = re.search(rf"\b{re.escape(stem[1])}\w{{0,5}}\b", text.lower()) if stem else None
        if found is not None and found.group() not in asked and len(found.group()) > 5:
            return True
    return False


def _named_part(analysis: Analysis, text: str) -> bool:
    """Say whether the name in an answer of common words stays: 'the Ouse' of 'the fields along the Ouse'."""
    asked = analysis.question.text.lower()
    for answer in analysis.base.answers:
        words = re.findall(r"[^\W\d_]{4,}", answer)
        names = {w for w in words if w[0].isupper() and w.lower() not in asked} - {"River", "Lake", "Mount"}
        common = any(w.islower() for w in words)
        if common and any(re.search(rf"\b{re.escape(name)}\b", text) for name in names):
            return True
    return False


def everywhere(analysis: Analysis, edit: Edit, reasoning: str) -> Draft | Declined:
    """Make one edit in every passage that gives the answer."""
    if not analysis.answering:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    changed = remove_answer_everywhere(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    if any(_derived(analysis, changed.get(p.index, p.text)) for p in analysis.signal):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "a word made from the answer stays")
    if any(_named_part(analysis, text) for text in changed.values()):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "the name within the answer stays")
    return Draft(analysis.question.text, changed, reasoning, "No passage gives an accepted answer any more.")
