"""Doubts about accepted answers that code can propose: answers on which little can be planted and much goes wrong.

Code sees words, not what they stand for. A proposed doubt is therefore decided by the screening model.
"""

from typing import Final

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import AnswerDoubt
from demur.text.answers import MentionKind, find_answers
from demur.text.lexicon import DETERMINERS, PRONOUNS, word_set
from demur.text.support import TextPart, supports
from demur.text.tokens import sentences, tokenise

_POINTING: Final = (
    PRONOUNS
    | DETERMINERS
    | word_set(
        "its theirs his hers mine ours there here then former latter same other others both either neither each all "
        "some none someone somebody everyone everybody anyone nobody himself herself itself themselves"
    )
) - {"no"}
"""Words that name nothing by themselves."""
_DEFINITE: Final = word_set("the this that these those his her its their")


def answer_doubt(base: BaseInstance) -> AnswerDoubt | None:
    """Return the doubt about the accepted answers of a base instance that code proposes; None if there is none.

    Only English texts are looked at. Names, dates and longer answers are never doubted.
    """
    if not supports(base.language, TextPart.WORDS):
        return None
    if all(_points(answer) for answer in base.answers):
        return AnswerDoubt.POINTS
    if all(_is_common(answer) for answer in base.answers) and _stands_apart(base):
        return AnswerDoubt.TWO_ROLES
    return None


def _points(answer: str) -> bool:
    """Return whether an answer is made of pointing words, or is a definite common noun such as `the court`."""
    words = [token for token in tokenise(answer) if token.is_word]
    # in capitals, such words are names: US, IT, The Who
    named = [
        word
        for place, word in enumerate(words)
        if word.norm not in _POINTING or not (word.text.islower() or place == 0 and word.norm in _DEFINITE)
    ]
    return not named or (len(named) == 1 and named[0].text.islower() and words[0].norm in _DEFINITE)


def _is_common(answer: str) -> bool:
    words = [token for token in tokenise(answer) if token.is_word]
    return len(words) <= 2 and all(word.text.islower() or word.text.isdigit() and len(word.text) < 3 for word in words)


def _stands_apart(base: BaseInstance) -> bool:
    """Return whether an accepted answer stands in two sentences of the passages, whole in each."""
    found = 0
    for passage in base.passages:
        for sentence in sentences(passage.text, base.language):
            mentions = find_answers(sentence.text, base.answers, base.language)
            found += any(mention.kind is not MentionKind.PARTIAL for mention in mentions)
    return found > 1
