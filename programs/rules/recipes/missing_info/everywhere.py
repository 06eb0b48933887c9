"""The strategy of the class: one edit in every passage that gives the answer."""

import re

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.lexicon import can_be
from programs.rules.analysis.tokens import fold
from programs.rules.edits.strategy import Edit, remove_answer_everywhere
from programs.rules.recipes.registry import Declined, DeclineReason, Draft

_COUNTRY = frozenset({"us", "u.s.", "u.s", "usa", "united states", "united states of america", "america"})
_STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|"
    "Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|"
    "Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|"
    "Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|"
    "West Virginia|Wisconsin|Wyoming"
).split("|")


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


def _names_state(text: str) -> bool:
    return any(re.search(rf"\b{re.escape(state)}\b", text) for state in _STATES)


def _shortened(analysis: Analysis, text: str) -> bool:
    """Say whether a name stays without the word for its kind: 'the North Tarn' of 'the North Tarn River'."""
    for answer in analysis.base.answers:
        words = answer.strip().removeprefix("the ").split()
        named = len(words) >= 3 and all(w[:1].isupper() for w in words) and can_be(words[-1].lower(), "NOUN")
        stem = " ".join(words[:-1])
        if named and stem.lower() not in analysis.question.text.lower() and re.search(rf"\b{re.escape(stem)}\b", text):
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
    left = [changed.get(p.index, p.text) for p in analysis.signal]
    if _COUNTRY & {fold(a).removeprefix("the ") for a in analysis.base.answers} and any(map(_names_state, left)):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "the states that stay tell the country")
    if any(_shortened(analysis, text) for text in left):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "the answer stays without its last word")
    if any(_named_part(analysis, text) for text in changed.values()):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN, "the name within the answer stays")
    return Draft(analysis.question.text, changed, reasoning, "No passage gives an accepted answer any more.")
