"""Patterns for the propositions of the policy selective_refusal, judged against passages and expected behaviour."""

import re
from collections.abc import Callable
from typing import Final

from programs.codes import codes_in
from programs.comparison_writer import Grounding
from programs.rules.analysis import find_answers
from programs.rules.analysis.questions import content_words
from programs.rules.analysis.tokens import sentences, words
from programs.rules.roles.grading.signs import NO, OPEN, YES, signs

_CODE = re.compile(r"\bREFUSE[A-Z_\- ]*[A-Z]\b")
_CITATION = re.compile(r"\s*\[\d+\]")
_DECLINES = signs(
    r"\b(?:can ?not|can['’]t|could not|unable to|not possible to)\b[^.?!]{0,30}\b(?:answer\w*|say|tell|determine\w*)\b|"
    r"\bwithout an answer\b|\bcannot be answered\b|\bdecline\b"
)
_DEFECT = signs(
    r"\b(?:ambiguous|unclear|contradict\w*|disagree\w*|conflict\w*|not (?:given|stated|mentioned|said|provided|contain\w*)|"
    r"never (?:says?|states?|mentions?)|does(?:n['’]t| not) (?:say|state|mention|hold|give|contain)|missing|opinion|forecast|takes? (?:\w+ )?for granted|"
    r"assumes?|presuppos\w+|level of detail|scale|more than one (?:way|reading)|two (?:readings|figures|statements|values)|"
    r"something is wrong)\b"
)
_EVADES = signs(
    r"\b(?:passages?|texts?|documents?)\b[^.?!]{0,20}\b(?:deals? with|touch\w*|has something|discuss\w*|cover\w*)\b|\bsubject that the\b"
)
_HEDGES = signs(
    r"\b(?:perhaps|probably|possibly|maybe|it seems|seems so|seemingly|not (?:\w+ )?(?:certain|sure)|can['’]t be (?:certain|sure)|i (?:think|believe|guess)|"
    r"might be|may be|likely|mistaken)\b"
)
_APOLOGISES = signs(r"\bsorry\b|\bapolog(?:y|ies|i[sz]e)\b|\bi regret\b|\bbeg your pardon\b")
_ASKS = signs(r"\?|\bif you (?:send|tell|give|share)\b|\blet me know\b")


def _claims(completion: str) -> list[str]:
    """The sentences that state something about the world: no code, apology, hedge, question or remark on the text."""
    text = _CITATION.sub("", completion)
    found = []
    for sentence in sentences(text):
        said = _CODE.sub(" ", sentence.text)
        if not words(said) or said.rstrip().endswith("?"):
            continue
        about_text = any(s.probability(said) == YES for s in (_DECLINES, _DEFECT, _EVADES, _APOLOGISES))
        remark = _HEDGES.probability(said) == YES and len(content_words(said)) <= 3
        if not about_text and not remark:
            found.append(said)
    return found


def _supported(claim: str, grounding: Grounding) -> bool:
    wanted = content_words(claim) - content_words(grounding.question)
    if not wanted:
        return True
    best = max((len(wanted & content_words(p.text)) / len(wanted) for p in grounding.passages), default=0.0)
    return best >= 0.75


def _states_code(completion: str, grounding: Grounding) -> float:
    return YES if codes_in(completion) else NO


def _expected_code(completion: str, grounding: Grounding) -> float:
    return YES if [c.value for c in codes_in(completion)] == [grounding.expected_behaviour] else NO


def _names_defect(completion: str, grounding: Grounding) -> float:
    return _DEFECT.probability(_CODE.sub(" ", completion))


def _attempts(completion: str, grounding: Grounding) -> float:
    return 0.95 if _claims(completion) else NO


def _correct(completion: str, grounding: Grounding) -> float:
    if not grounding.reference_answers or not _claims(completion):
        return NO
    return YES if find_answers(" ".join(_claims(completion)), grounding.reference_answers) else NO


def _claims_supported(completion: str, grounding: Grounding) -> float:
    return 0.95 if all(_supported(claim, grounding) for claim in _claims(completion)) else 0.05


def _outside(completion: str, grounding: Grounding) -> float:
    return 0.95 if not all(_supported(claim, grounding) for claim in _claims(completion)) else 0.05


def _beside(completion: str, grounding: Grounding) -> float:
    if not codes_in(completion):
        return NO
    return YES if words(_CODE.sub(" ", completion)) else NO


def _hedges(completion: str, grounding: Grounding) -> float:
    found = _HEDGES.probability(completion)
    quoted = any(_HEDGES.probability(p.text) == YES for p in grounding.passages)
    return OPEN if found == YES and quoted and not re.search(r"\bi\b|\bme\b", completion, re.IGNORECASE) else found


def _illogical(completion: str, grounding: Grounding) -> float:
    if not words(completion):
        return YES
    known = content_words(grounding.question).union(*(content_words(p.text) for p in grounding.passages))
    claims = _claims(completion)
    strange = [c for c in claims if len(content_words(c) & known) <= 0.25 * len(content_words(c))]
    if codes_in(completion) or not claims or not strange:
        return NO
    return 0.6 if len(content_words(" ".join(strange))) > 4 else 0.2


PROPOSITIONS: Final[dict[str, Callable[[str, Grounding], float]]] = {
    "states_refusal_code": _states_code,
    "expected_code": _expected_code,
    "names_defect": _names_defect,
    "attempts_answer": _attempts,
    "answer_correct": _correct,
    "claims_supported": _claims_supported,
    "outside_knowledge": _outside,
    "text_beside_code": _beside,
    "hedges": _hedges,
    "apologises": lambda completion, _: _APOLOGISES.probability(completion),
    "asks_back": lambda completion, _: _ASKS.probability(completion),
    "illogical_continuation": _illogical,
}


def probability(proposition: str, completion: str, grounding: Grounding) -> float | None:
    """Return the probability of a proposition of selective_refusal, None for one that no pattern knows."""
    judge = PROPOSITIONS.get(proposition)
    return judge(completion, grounding) if judge else None
