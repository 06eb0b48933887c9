"""Duplicates: equal items, and levers pulled twice in the same way on one base instance.

Only changes are compared. Perturbations of one base share most of their text, so whole texts are always similar.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from demur.levers.instances import BaseInstance, Perturbation
from demur.programs.checks.changes import CheckName, CheckResult, InstanceDiff, added_spans, compare, failed, passed
from demur.text.answers import ENGLISH_YES_NO
from demur.text.tokens import words

NEAR_EQUAL = 92.0
"""The least similarity of two changes, 0 to 100, at which they count as the same."""
NEAR_QUESTIONS = 85.0
NEAR_QUESTIONS_OF_A_PASSAGE = 60.0
"""The least similarity of two questions, 0 to 100, at which they count as the same.

It applies to questions with a common answer: NEAR_QUESTIONS in general, NEAR_QUESTIONS_OF_A_PASSAGE for questions of
one passage.
"""


@dataclass(frozen=True, slots=True)
class Made:
    """A perturbation, its id and its content key. `released_as` is the id of a release with an equal item, or None."""

    perturbation_id: str
    perturbation: Perturbation
    content_key: str
    released_as: str | None


def normalised(text: str) -> str:
    """Return the words of a text without case, punctuation and spacing."""
    return " ".join(t.norm for t in words(text))


def item_key(question: str, passages: tuple[str, ...]) -> str:
    """Return a key of an item's normalised question and passages."""
    texts = (normalised(question), *(normalised(p) for p in passages))
    return hashlib.blake2b("\x1f".join(texts).encode(), digest_size=16).hexdigest()


def duplicate_key(base: BaseInstance, perturbation: Perturbation) -> str:
    """Return the item key of a perturbation."""
    return item_key(perturbation.question, tuple(p.text for p in perturbation.passages(base)))


def changed_text(found: InstanceDiff) -> str:
    """Return added and removed text, normalised."""
    pieces = []
    for index, part in found.parts:
        pieces.append(f"{'q' if index is None else index} + {normalised(part.added_text)}")
        pieces.append("- " + normalised(" ".join(s.of(part.old) for s in part.removed)))
    return " | ".join(pieces)


def distinct(base: BaseInstance, made: Sequence[Made]) -> Iterator[tuple[Made, CheckResult]]:
    """Yield each perturbation of one base instance, with the result of its duplicate check.

    Among duplicates, the perturbation with the smallest id passes. Ids are hashes, so no generator is favoured.
    """
    first: dict[str, str] = {}
    kept: dict[str, list[tuple[str, str]]] = {}
    for one in sorted(made, key=lambda one: one.perturbation_id):
        found = compare(base, one.perturbation)
        said = changed_text(found)
        lever = one.perturbation.lever.casefold()
        fault = _fault(one, said, first, kept.get(lever, ()))
        if fault is None:
            first[one.content_key] = one.perturbation_id
            kept.setdefault(lever, []).append((one.perturbation_id, said))
            yield one, passed(CheckName.NO_DUPLICATE, f"nothing else has the content {one.content_key}")
        else:
            yield one, failed(CheckName.NO_DUPLICATE, fault, added_spans(found))


def _fault(one: Made, said: str, first: dict[str, str], of_lever: Sequence[tuple[str, str]]) -> str | None:
    if one.released_as is not None:
        return f"release {one.released_as} holds the same question and passages ({one.content_key})"
    if one.content_key in first:
        return f"perturbation {first[one.content_key]} has the same question and passages ({one.content_key})"
    from rapidfuzz import fuzz

    for other, text in of_lever:
        likeness = fuzz.ratio(said, text, score_cutoff=NEAR_EQUAL)
        if likeness >= NEAR_EQUAL:
            return (
                f"perturbation {other} pulled '{one.perturbation.lever}' nearly the same way: the changes are "
                f"{likeness:.0f} of 100 alike, from {NEAR_EQUAL:.0f} on they count as one"
            )
    return None


@dataclass(frozen=True, slots=True)
class Known:
    """A known question: its id, its normalised words, and the passages from which it was made."""

    question_id: str
    words: str
    passages: frozenset[str]


class KnownQuestions:
    """Known questions. Similar wording is only looked for among questions that have an answer in common."""

    def __init__(self) -> None:
        self._by_words: dict[str, str] = {}
        self._by_answer: dict[str, list[Known]] = {}

    def add(self, question_id: str, question: str, answers: Sequence[str], passages: Collection[str]) -> None:
        """Add a question."""
        known = Known(question_id, normalised(question), frozenset(passages))
        self._by_words.setdefault(known.words, question_id)
        for answer in set(map(normalised, answers)):
            self._by_answer.setdefault(answer, []).append(known)

    def like(self, question: str, answers: Sequence[str], passages: Collection[str]) -> str | None:
        """Return the id of a known question that asks for the same thing; None if no known question does.

        Questions ask the same if their words are equal. They also ask the same if their words are similar and they have
        an answer in common.
        """
        from rapidfuzz import fuzz

        said = normalised(question)
        if said in self._by_words:
            return self._by_words[said]
        for answer in map(normalised, answers):
            for known in self._by_answer.get(answer, ()):
                shared = not known.passages.isdisjoint(passages)
                bound = NEAR_QUESTIONS_OF_A_PASSAGE if shared and answer not in ENGLISH_YES_NO else NEAR_QUESTIONS
                if fuzz.token_sort_ratio(said, known.words, score_cutoff=bound) >= bound:
                    return known.question_id
        return None
