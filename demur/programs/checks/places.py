"""Where a perturbation changed its base instance, and how much it added: what can give an item away."""

from typing import Final

from demur.levers.instances import BaseInstance, Perturbation
from demur.levers.vocabulary import ChangePlace
from demur.programs.checks.diff import TextDiff, compare
from demur.text.tokens import sentences, tokenise

REPLACED_FROM: Final = 0.6
"""From this share of added tokens on, a passage counts as replaced; a passage with one more sentence has less."""


def change_place(base: BaseInstance, perturbation: Perturbation) -> ChangePlace:
    """Return the place of a change."""
    found = compare(base, perturbation)
    if not found.passages:
        return ChangePlace.QUESTION_END if _is_tail(found.question) else ChangePlace.QUESTION
    places = [_place(part) for part in found.passages.values()]
    for place in (ChangePlace.WHOLE_PASSAGE, ChangePlace.INSIDE):
        if place in places:
            return place
    return places[0] if len(set(places)) == 1 else ChangePlace.INSIDE


def words_added(base: BaseInstance, perturbation: Perturbation) -> int:
    """Return the number of words that a perturbation added to question and passages; 0 if it only took words out."""
    parts = (part for _, part in compare(base, perturbation).parts)
    return sum(token.is_word for part in parts for span in part.added for token in tokenise(span.of(part.new)))


def _is_tail(question: TextDiff) -> bool:
    if question.removed or len(question.added) != 1:
        return False
    rest = question.new[question.added[0].end :]
    return not any(token.is_word for token in tokenise(rest))


def _place(part: TextDiff) -> ChangePlace:
    tokens = tokenise(part.new)
    added = sum(any(span.start <= token.start < span.end for span in part.added) for token in tokens)
    if not tokens or added >= REPLACED_FROM * len(tokens):
        return ChangePlace.WHOLE_PASSAGE
    now = part.touched_sentences
    last_now = len(sentences(part.new, part.language)) - 1
    before = sentences(part.old, part.language)
    cut = [s.index for s in before if any(s.span.overlaps(span) for span in part.removed)]
    if last_now < 1:
        return ChangePlace.INSIDE
    if {s.index for s in now} <= {last_now} and set(cut) <= {len(before) - 1}:
        return ChangePlace.LAST_SENTENCE
    if {s.index for s in now} <= {0} and set(cut) <= {0}:
        return ChangePlace.FIRST_SENTENCE
    return ChangePlace.INSIDE
