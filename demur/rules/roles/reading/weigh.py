"""Relevance of sentences to a question.

A sentence is more relevant if it shares concepts with the question, above all rare concepts, if sentences around it do,
and if it has a possible answer.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from demur.rules.roles.reading.asked import Asked, AskedKind, asked_of
from demur.rules.roles.reading.concepts import concept_set, concepts
from demur.rules.roles.reading.possible import PossibleAnswer, candidates, read_passage
from demur.text import PassageAnalysis, Sentence
from demur.text.tokens import tokenise

BEFORE: Final = 0.65
OPENING: Final = 0.5
ELSEWHERE: Final = 0.2
PAIR: Final = 0.2
CANDIDATE: Final = 4.0
DOUBTFUL: Final = 1.0
NEAR: Final = 1.0
WORDS_OF_DECAY: Final = 3.0
FARTHEST: Final = 60
"""The distance in words from which a word of the question adds less than a millionth."""
_UNTYPED: Final = frozenset({AskedKind.REASON, AskedKind.MANNER, AskedKind.YES_NO, AskedKind.THING})


class Text(Protocol):
    """A numbered passage."""

    @property
    def number(self) -> int:
        """The number by which the passage is cited."""
        ...

    @property
    def text(self) -> str:
        """The content of the passage."""
        ...


@dataclass(frozen=True, slots=True)
class PassageEvidence:
    """A sentence, its possible answers (best first), and its relevance to the question.

    `score` orders the sentences of one reading. `overlap` is the share of the question's concepts that are in the
    sentence or in the first sentence of its passage, weighted by rarity, from 0 to 1.
    """

    passage: PassageAnalysis
    sentence: Sentence
    candidates: tuple[PossibleAnswer, ...]
    score: float
    overlap: float


def evidence(question: str, passages: Sequence[Text]) -> list[PassageEvidence]:
    """Return all sentences of the passages, the best evidence first."""
    asked = asked_of(question)
    read = [read_passage(p.number, p.text) for p in passages]
    weights = _weights(asked, read)
    total = sum(weights.values()) or 1.0
    found = []
    for passage in read:
        possible_here = candidates(asked, passage)
        opening = concept_set(passage.sentences[0].text) if passage.sentences else frozenset()
        around = concept_set(passage.text)
        before: frozenset[str] = frozenset()
        for sentence in passage.sentences:
            own = concept_set(sentence.text)
            score = 0.0
            for word, weight in weights.items():
                share = 1.0 if word in own else BEFORE if word in before else OPENING if word in opening else 0.0
                score += weight * (share or (ELSEWHERE if word in around else 0.0))
            score += PAIR * _pairs(asked, sentence, weights)
            possible = _ranked(possible_here.within(sentence), sentence, weights)
            if possible and asked.kind not in _UNTYPED:
                score += possible[0].worth
            overlap = sum(w for word, w in weights.items() if word in own or word in opening) / total
            found.append(PassageEvidence(passage, sentence, possible, score, overlap))
            before = own
    return sorted(found, key=lambda e: (-e.score, e.passage.index, e.sentence.index))


def _weights(asked: Asked, read: Sequence[PassageAnalysis]) -> dict[str, float]:
    """Return the weight of each concept of the question; the fewer sentences have a concept, the larger its weight."""
    sentences = [concept_set(s.text) for p in read for s in p.sentences]
    count = Counter(word for held in sentences for word in held)
    size = len(sentences) + 1
    return {word: math.log(1 + size / (count[word] + 0.5)) for word in asked.words}


def _pairs(asked: Asked, sentence: Sentence, weights: dict[str, float]) -> float:
    """Return the sum of the weights of word pairs that are neighbours in the question and near in the sentence.

    The weight of a pair is the mean weight of its two words.
    """
    keys = [key for key, _ in concepts(sentence.text)]
    near = {(a, b) for at, a in enumerate(keys) for b in keys[at + 1 : at + 3]}
    return (
        sum(
            weights[a] + weights[b]
            for a, b in zip(asked.words, asked.words[1:], strict=False)
            if (a, b) in near or (b, a) in near
        )
        / 2
    )


def _ranked(
    possible: Sequence[PossibleAnswer], sentence: Sentence, weights: dict[str, float]
) -> tuple[PossibleAnswer, ...]:
    """Return the possible answers with their worth, the best first."""
    if not possible:
        return ()
    held = [(at, weights[key]) for key, at in concepts(sentence.text) if key in weights]
    places = [at for at, _ in held]
    starts = [sentence.span.start + token.start for token in tokenise(sentence.text)]

    def worth(candidate: PossibleAnswer) -> float:
        first, last = (bisect_left(starts, at) for at in (candidate.span.start, candidate.span.end))
        near = slice(bisect_left(places, first - FARTHEST), bisect_left(places, last + FARTHEST))
        return _worth(candidate, first, last, held[near])

    return tuple(sorted((replace(c, worth=worth(c)) for c in possible), key=lambda c: -c.worth))


def _worth(candidate: PossibleAnswer, first: int, last: int, held: Sequence[tuple[int, float]]) -> float:
    """Return the worth of a candidate that has the tokens from `first` up to `last`, exclusive."""
    if first == last:
        return 0.0
    near = max(
        (w * math.exp(-max(first - p, p - last + 1) / WORDS_OF_DECAY) for p, w in held if not first <= p < last),
        default=0.0,
    )
    return (CANDIDATE if candidate.sure else DOUBTFUL) + NEAR * near
