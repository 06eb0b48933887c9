"""Shared by the recipes of MEDIUM: a question on another level, and remarks that keep the passages on theirs."""

import random
import re

from demur.programs.rules.edits.remarks import ask, remark_everywhere
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft
from demur.programs.rules.subjects import Subject, SubjectKind, counted, feature_of, has_counted, like
from demur.programs.text.analysis import Analysis

NOTE = "The passages still say what they said, on their own level; what is asked for lies on another one."
NO_KIND_RULE = frozenset({SubjectKind.ORGANISM, SubjectKind.BODY, SubjectKind.PEOPLE})
"""Kinds of which no rule for all can be asked that is not plainly false."""
NO_SPORT = frozenset({"election", "convention", "ocean", "continent"})
"""Nouns whose kind suggests games or towns, and that are neither."""
OF_NATURE = re.compile(
    r"\b(?:cells?|membranes?|species|organs?|molecul\w+|dna|rna|atp|acid|atoms?|tissues?|neurons?|dermis|skin|muscles?|nerves?)\b"
)
"""Words of passages about living matter, where 'square metres' and 'countries' make no sense."""


def draft_of(
    analysis: Analysis,
    question: str,
    subject: Subject | None,
    remarks: tuple[str, ...],
    rng: random.Random,
    reasoning: str,
) -> Draft | Declined:
    """Return the question in register with a remark in every signal passage; declined where one can't take it."""
    changed = remark_everywhere(analysis, subject, remarks, rng)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(ask(analysis, question), changed, reasoning, NOTE)


def filled(template: str, analysis: Analysis, subject: Subject) -> str | None:
    """Fill a wording in: {n} counted things, {f} feature, {k} 'films like X', {s} X; None where one is lacking."""
    if "{n}" in template:
        counts = counted(analysis)
        if counts is None or not has_counted(analysis, subject):
            return None
        template = template.replace("{n}", counts)
    if "{f}" in template:
        feature = feature_of(analysis, subject)
        if feature is None:
            return None
        template = template.replace("{f}", feature)
    return template.replace("{k}", like(subject)).replace("{s}", subject.short)


def is_generic(subject: Subject) -> bool:
    """Say whether the subject is people in general ('enthusiastic teachers', 'the emperor') and no one by name."""
    opens = subject.phrase.split(" ", 1)[0].lower()
    vague = subject.plural or not subject.is_named or opens in {"the", "a", "an"} or '"' in subject.phrase
    itself = subject.noun is not None and subject.phrase.lower().endswith((subject.noun, f"{subject.noun}s"))
    return subject.kind is SubjectKind.PERSON and (vague or itself)


def is_chained_by_and(text: str) -> bool:
    """Say whether a second question hangs on the first by 'and'."""
    return re.search(r"\band (?:how|what|when|where|who|in what)\b", text.lower()) is not None
