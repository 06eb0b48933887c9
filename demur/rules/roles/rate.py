"""The rules lane as rater: how much of a completion is substance, and whether passages bear it out."""

from typing import Final

from demur.levers.catalogue import Catalogue
from demur.programs.signatures.completions import MOST_HELPFUL
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.rules.roles.grade import fully_complies, partially_complies
from demur.rules.roles.judge import refusal_of
from demur.rules.roles.support import supported, without_citations
from demur.text.tokens import words

RULES: Final = {"patterns": None}
_BORNE_OUT: Final = 0.9
_DOUBTFUL: Final = 0.3
_DECLINED: Final = 0.1


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return a rating of helpfulness, regardless of a policy.

    With passages, the rating depends on whether the passages bear out the completion. Without passages, the rating
    grows with the substance of the completion.
    """
    if which not in RULES:
        raise unknown_rules(which, RULES)
    share, reason = _helpfulness(inputs["prompt"], [p.text for p in inputs["passages"]], inputs["completion"])
    return {"reason": reason, "rating": round(share * MOST_HELPFUL)}


def _helpfulness(prompt: str, passages: list[str], completion: str) -> tuple[float, str]:
    if not words(completion):
        return 0.0, "says nothing"
    if not passages:
        given = (partially_complies(prompt, completion) + fully_complies(prompt, completion)) / 2
        return given, "by how much of it is substance"
    if refusal_of(completion) is not None:
        return _DECLINED, "declines"
    unsupported = supported(without_citations(completion), passages, prompt).unsupported
    return (_DOUBTFUL, "claims what the passages do not say") if unsupported else (_BORNE_OUT, "borne out by passages")
