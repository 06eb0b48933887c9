"""The rules lane on texts in other languages than English.

Two baselines answer by the words that sentences share with the question. Rules that read only English decline such
texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from demur.levers.vocabulary import Code
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.signatures.response import NumberedPassage
from demur.text.answers import keys_in
from demur.text.language_detection import language_code
from demur.text.tokens import sentences

ENOUGH_OVERLAP: Final = 0.3
"""Smallest share of a question's words at which `lexical-overlap` answers, in English and in other languages."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """The sentence with most words of a question.

    `number` is the number of the sentence's passage. `share` is the share of the question's words that the sentence has
    (0 to 1).
    """

    sentence: str
    number: int
    share: float


def reads_english_only(role: str, language: str) -> LaneError:
    """Return the error of rules that read only English and got other texts. Stages go on after this error.

    `language` is the English name of the language that the rules cannot read.
    """
    return LaneError(
        f"rules read only English, but these texts are {language}. Name a language model as {role}",
        kind=ErrorKind.LANGUAGE,
    )


def best_overlap(question: str, passages: Sequence[NumberedPassage], language: str) -> Overlap | None:
    """Return the sentence of the passages that has most words of a question; None if there is no sentence.

    If there are three or more sentences, words that are in more than half of the sentences are ignored.
    """
    code = language_code(language)
    found = [(s.text, p.number) for p in passages for s in sentences(p.text, code)]
    held = [{key.key for key in keys_in(text, code)} for text, _ in found]
    asked = {key.key for key in keys_in(question, code)}
    if len(found) > 2:
        asked -= {word for word in asked if 2 * sum(word in words for words in held) > len(held)}
    shares = [len(asked & words) / max(len(asked), 1) for words in held]
    if not shares:
        return None
    best = shares.index(max(shares))
    return Overlap(*found[best], shares[best])


def response_of(which: str, overlap: Overlap | None, passages: Sequence[NumberedPassage], language: str) -> str:
    """Return a baseline's reply: a refusal code, or the sentence of `overlap`.

    The sentence gets a citation if there are several passages.

    Raises:
        LaneError: the baseline looks for marks of English.
    """
    if which == "defect-spotter":
        raise reads_english_only("respondent", language)
    unanswered = which == "lexical-overlap" and (overlap is None or overlap.share < ENOUGH_OVERLAP)
    if which == "always-refuses" or unanswered:
        return Code.MISSING.value
    if overlap is None:
        return passages[0].text.strip() or "-"
    return overlap.sentence if len(passages) == 1 else f"{overlap.sentence} [{overlap.number}]"
