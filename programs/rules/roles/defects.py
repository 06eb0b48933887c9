"""Marks of each class of defect, as far as they show on the surface of a question and its passages."""

import re
from collections.abc import Sequence

from levers.vocabulary import Code
from programs.respondent import NumberedPassage
from programs.rules.analysis.questions import content_words
from programs.rules.roles.reading import evidence

_NONFACTUAL = re.compile(
    r"\b(best|worst|beautiful|finest|should|ought|fair|unfair|right|wrong|moral\w*|ethical\w*|deserv\w+|admir\w+|think|"
    r"opinion|believe|feel|like most|favou?rite|overrated|underrated|will|would|might|predict\w*|likely|future|next|"
    r"imagine|suppose|if|had)\b",
    re.IGNORECASE,
)
_GRANULARITY = re.compile(
    r"\b(average|mean|median|total|overall|per|each|every|breakdown|nationwide|worldwide|global\w*|typical\w*|on average|"
    r"percentage|proportion|trend|hour by hour|minute|molecul\w+|atom\w*|individual)\b",
    re.IGNORECASE,
)
_PRESUPPOSING = re.compile(
    r"\b(after (?:it|he|she|they) (?:stopped|failed|refused)|why did|second time|again|stop(?:ped)?|no longer|even though|"
    r"despite|given that|since|now that|considering that)\b",
    re.IGNORECASE,
)
_CONTRADICTING = re.compile(
    r"\b(another (?:source|account|record|report)|other (?:sources|records)|according to (?:a|another|the)|disput\w+|"
    r"by contrast|however|in contrast|conflict\w*|a separate|records? (?:also )?(?:state|show|give)s?|instead)\b",
    re.IGNORECASE,
)
_AMBIGUOUS = re.compile(
    r"\b(either|the other one|the former|the latter|respectively|namesake|of the same name|the same name|both called|"
    r"unclear which|two (?:different )?\w+ (?:named|called))\b",
    re.IGNORECASE,
)
LEAST_KNOWN = 0.4


def spot(question: str, passages: Sequence[NumberedPassage]) -> Code | None:
    """Return the code of the first class, in the order of precedence, whose marks show, None where none do."""
    asked = content_words(question)
    known = set().union(*(content_words(p.text) for p in passages))
    best = evidence(question, passages)[0]
    around = best.passage.text
    if asked and len(asked & known) / len(asked) < LEAST_KNOWN:
        return Code.MISSING
    if _PRESUPPOSING.search(question) and len(asked - known) >= 2:
        return Code.FALSE_PREMISE
    if _AMBIGUOUS.search(question) or _AMBIGUOUS.search(around):
        return Code.AMBIGUOUS
    if _GRANULARITY.search(question) and not _GRANULARITY.search(around):
        return Code.GRANULARITY
    if any(_CONTRADICTING.search(p.text) for p in passages):
        return Code.CONTRADICTORY
    if _NONFACTUAL.search(question):
        return Code.NONFACTUAL
    return None
