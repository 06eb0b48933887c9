"""The rules lane as judge: codes by their spelling, answers by accepted answers and their trivial paraphrases."""

import re
from collections.abc import Sequence
from typing import Final

from levers.catalogue import Catalogue
from programs.codes import codes_in
from programs.instances import Passage
from programs.judge import Classification
from programs.rules.analysis.answers import find_answers
from programs.rules.analysis.questions import content_words
from programs.rules.analysis.tokens import sentences, tokenise
from programs.rules.roles import Inputs, Outputs, unknown_rules

RULES: Final = {"patterns": None}
MOST_NEEDLESS_WORDS = 8
LEAST_SUPPORT = 0.7
_CITATION = re.compile(r"\s*\[\d+\]")


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return a judgement: the first code stated, else an attempt, rated against the reference answers."""
    if which not in RULES:
        raise unknown_rules(which, RULES)
    response, references = inputs["response"], inputs["reference_answers"]
    codes = codes_in(response)
    if codes:
        refusal = {"explanation": f"states {codes[0]}", "classification": Classification(codes[0].value)}
        if task == "JudgeShortAnswer":
            return {**refusal, "quality": None}
        return {**refusal, "eligible": None, "supported_all": None, "supported_relevant": None}
    attempt = {"classification": Classification.ANSWER_ATTEMPT}  # type: ignore[attr-defined]
    claim = _CITATION.sub("", response)
    if task == "JudgeShortAnswer":
        quality = _quality(inputs["question"], claim, references) if references else None
        return {**attempt, "explanation": f"an attempt of quality {quality}", "quality": quality}
    relevant = [p for p in inputs["passages"] if p.relevant]
    return {
        **attempt,
        "explanation": "an attempt, compared with references and passages",
        "eligible": bool(references) and bool(find_answers(claim, references)),
        "supported_all": _supported(claim, inputs["passages"]),
        "supported_relevant": _supported(claim, relevant),
    }


def _quality(question: str, claim: str, references: tuple[str, ...]) -> int:
    mentions = find_answers(claim, references) or _yes_no(claim, references)
    asked = content_words(question)
    words = [token for token in tokenise(claim) if token.is_word]
    if mentions:
        longest = max(len(tokenise(reference)) for reference in references)
        return 5 if len(words) <= longest + MOST_NEEDLESS_WORDS else 4
    return 3 if asked & content_words(claim) else 1


def _yes_no(claim: str, references: tuple[str, ...]) -> bool:
    first = next((token.norm for token in tokenise(claim) if token.is_word), "")
    return first in {"yes", "no"} and first in {reference.casefold() for reference in references}


def _supported(claim: str, passages: Sequence[Passage]) -> bool:
    """Whether each sentence of the claim has most of its content words in one of the passages."""
    for sentence in sentences(claim):
        wanted = content_words(sentence.text)
        if not wanted:
            continue
        best = max((len(wanted & content_words(p.text)) / len(wanted) for p in passages), default=0.0)
        if best < LEAST_SUPPORT:
            return False
    return True
