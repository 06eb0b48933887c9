"""Possible answers in sentences, the relevance of sentences to a question, and evidence from several passages."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Protocol

from demur.rules.roles.reading.question_kind import Asked, AskedKind, asked_of, concept, concept_set, concepts
from demur.text import NameKind, NumberKind, PassageAnalysis, Sentence, Span, WhWord, analyse_passage
from demur.text.lexicon import can_be, word_set
from demur.text.tokens import Taken, fold, tokenise

# Possible answers in a sentence: names if the question asks 'who', dates for 'when', counts for 'how many'.


_PART_OF_TIME = re.compile(r"(?:the )?(?:early|mid|late)[- ]$|the $")
LONGEST_PART_OF_TIME: Final = len("the early ")
_TO_YEAR = re.compile(r"[–-]\d{2,4}\b(?: season)?")
_CHARACTERS_AFTER: Final = 40
_WORDS_AFTER: Final = 3
"""Words after a number among which the counted noun is looked for; they are in the next 40 characters."""
_SPANS_OF_TIME = word_set("second minute hour day week month year decade century season summer winter night")


@dataclass(frozen=True, slots=True)
class PossibleAnswer:
    """A piece of a passage that may be of the kind that the question asks for; `sure` is true if this is certain.

    `worth` is higher if `sure` is true, and if words of the question are near.
    """

    span: Span
    text: str
    sure: bool
    worth: float = 0.0


@lru_cache(maxsize=1024)
def read_passage(number: int, text: str) -> PassageAnalysis:
    """Return a passage analysed without any knowledge of answers."""
    return analyse_passage(number, text, True, ())


def candidates(asked: Asked, passage: PassageAnalysis) -> "PossibleAnswers":
    """Return the possible answers in a passage. Texts that are also in the question are left out."""
    found: list[PossibleAnswer] = []
    if asked.kind is AskedKind.DATE:
        found = [_whole_date(d.span, passage.text) for d in passage.dates]
    elif asked.kind is AskedKind.NUMBER:
        found = _amounts(asked, passage)
    elif asked.kind in (AskedKind.PERSON, AskedKind.PLACE, AskedKind.NAME, AskedKind.THING):
        found = _names(asked, passage)
    return PossibleAnswers([c for c in found if c.text.casefold().removeprefix("the ") not in asked.folded])


class PossibleAnswers:
    """The possible answers in a passage, found by sentence without a search of the whole passage."""

    def __init__(self, found: Sequence[PossibleAnswer]) -> None:
        self._found = sorted(found, key=lambda one: one.span.start)
        self._starts = [one.span.start for one in self._found]

    def within(self, sentence: Sentence) -> list[PossibleAnswer]:
        """Return the possible answers in a sentence, in their order."""
        first, last = (bisect_left(self._starts, at) for at in (sentence.span.start, sentence.span.end))
        return [one for one in self._found[first:last] if sentence.span.covers(one.span)]


def _whole_date(span: Span, text: str) -> PossibleAnswer:
    """Return the date with the words that belong to it: 'the late 1980s', '1979-80'."""
    from_ = max(0, span.start - LONGEST_PART_OF_TIME)
    before = _PART_OF_TIME.search(text, from_, span.start)
    after = _TO_YEAR.match(text[span.end :])
    whole = Span(before.start() if before else span.start, span.end + (after.end() if after else 0))
    return PossibleAnswer(whole, whole.of(text), True)


def _amounts(asked: Asked, passage: PassageAnalysis) -> list[PossibleAnswer]:
    dates = Taken(passage.text, [d.span for d in passage.dates])
    found = []
    for number in passage.numbers:
        if dates.overlaps(number.whole) and number.kind is not NumberKind.MEASURE:
            continue
        if number.kind is NumberKind.ORDINAL:
            continue
        after = passage.text[number.span.end : number.span.end + _CHARACTERS_AFTER].replace("-", " ")
        following = [word.strip(",.;").casefold() for word in after.split()[:_WORDS_AFTER]]
        counted = asked.noun is not None and concept(asked.noun) in {concept(word) for word in following}
        timed = bool(following) and following[0].rstrip("s") in _SPANS_OF_TIME
        wanted = asked.question.wh
        if wanted is WhWord.HOW_LONG:
            found.append(PossibleAnswer(number.whole, number.whole.of(passage.text), timed))
        elif wanted is WhWord.HOW_MANY:
            found.append(PossibleAnswer(number.span, number.text, counted))
        else:
            found.append(
                PossibleAnswer(number.whole, number.whole.of(passage.text), number.kind is not NumberKind.CARDINAL)
            )
    return found


def _names(asked: Asked, passage: PassageAnalysis) -> list[PossibleAnswer]:
    sure = {
        AskedKind.PERSON: {NameKind.PERSON},
        AskedKind.PLACE: {NameKind.PLACE},
        AskedKind.NAME: {NameKind.TITLE, NameKind.ORGANISATION},
        AskedKind.THING: set[NameKind](),
    }[asked.kind]
    barred = {NameKind.PLACE, NameKind.TITLE} if asked.kind is AskedKind.PERSON else set[NameKind]()
    if asked.kind is AskedKind.PLACE:
        barred = {NameKind.PERSON, NameKind.TITLE}
    found = []
    for name in passage.names:
        if name.kind in barred or (" " not in name.norm and can_be(name.norm, "ADJ")):
            continue
        full = asked.kind is not AskedKind.PERSON or " " in name.norm
        found.append(PossibleAnswer(name.span, name.text, name.kind in sure and full))
    return found


def values_in(asked: Asked, text: str, *, sure: bool = True) -> list[str]:
    """Return the possible answers in a text, in their order; if `sure`, only answers with a true `sure`."""
    whole = Sentence(0, Span(0, len(text)), text)
    return [c.text for c in candidates(asked, read_passage(0, text)).within(whole) if c.sure or not sure]


# Relevance of sentences to a question.
#
# A sentence is more relevant if it shares concepts with the question, above all rare concepts, if sentences around it
# do, and if it has a possible answer.


# A sentence gets the whole weight of each word of the question that it has, and a part of the weight of others.
BEFORE: Final = 0.65
"""The part for a word in the sentence before."""
OPENING: Final = 0.5
"""The part for a word in the first sentence of the passage."""
ELSEWHERE: Final = 0.2
"""The part for a word elsewhere in the passage."""
PAIR: Final = 0.2
"""The part of a pair's weight that a sentence gets for two neighbouring words of the question."""
CANDIDATE: Final = 4.0
"""The worth of a sure possible answer."""
DOUBTFUL: Final = 1.0
"""The worth of an unsure possible answer."""
NEAR: Final = 1.0
"""The part of a word's weight that a possible answer gets if the word is near. The part falls with the distance."""
WORDS_OF_DECAY: Final = 3.0
"""The distance in words over which this part falls to 1/e."""
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
                if word in own:
                    score += weight
                elif word in before:
                    score += weight * BEFORE
                elif word in opening:
                    score += weight * OPENING
                elif word in around:
                    score += weight * ELSEWHERE
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
    near = {(a, b) for at, a in enumerate(keys) for b in keys[at + 1 : at + 3]}  # at most one word lies between
    neighbours = zip(asked.words, asked.words[1:], strict=False)
    shared = [(a, b) for a, b in neighbours if (a, b) in near or (b, a) in near]
    return sum(weights[a] + weights[b] for a, b in shared) / 2


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
        low, high = (bisect_left(places, at) for at in (first - FARTHEST, last + FARTHEST))
        return _worth(candidate, first, last, held[low:high])

    return tuple(sorted((replace(c, worth=worth(c)) for c in possible), key=lambda c: -c.worth))


def _worth(candidate: PossibleAnswer, first: int, last: int, held: Sequence[tuple[int, float]]) -> float:
    """Return the worth of a candidate that has the tokens from `first` up to `last`, exclusive.

    `held` has the place and weight of words of the question.
    """
    if first == last:
        return 0.0
    near = 0.0
    for place, weight in held:
        is_inside = first <= place < last
        if not is_inside:
            distance = first - place if place < first else place - (last - 1)
            near = max(near, weight * math.exp(-distance / WORDS_OF_DECAY))
    return (CANDIDATE if candidate.sure else DOUBTFUL) + NEAR * near


# Evidence from several passages. If one passage names the subject of another, the other's sentences gain weight.


LENT: Final = 0.6
"""The share of the bridging sentence's score that the other passage's sentences gain."""


def subject_of(passage: PassageAnalysis) -> str:
    """Return the first name in a passage, which is usually the subject, in lower case; empty if there is no name."""
    return passage.names[0].norm if passage.names else ""


def chained(question: str, passages: Sequence[Text]) -> list[tuple[PassageEvidence, ...]]:
    """Return chains of one or two sentences, the best first; a chain's last sentence is the answering one.

    In a chain of two, the first sentence names the subject of the second sentence's passage. The question does not name
    this subject.
    """
    found = evidence(question, passages)
    asked = fold(question)
    best_in: dict[int, PassageEvidence] = {}
    for one in found:
        best_in.setdefault(one.passage.index, one)
    bridges: dict[int, PassageEvidence] = {}
    for passage in {e.passage.index: e.passage for e in found}.values():
        subject = subject_of(passage)
        if len(subject) < 4 or subject in asked:  # shorter names are found in other words by chance
            continue
        naming = (e for e in found if e.passage.index != passage.index and subject in fold(e.sentence.text))
        bridge = next(naming, None)
        if bridge is not None:
            bridges[passage.index] = bridge
    chains: list[tuple[PassageEvidence, ...]] = []
    for one in found:
        bridge = bridges.get(one.passage.index)
        if bridge is None:
            chains.append((one,))
        else:
            chains.append((bridge, replace(one, score=one.score + LENT * bridge.score)))
    return sorted(chains, key=lambda c: (-c[-1].score, c[-1].passage.index, c[-1].sentence.index))


# Answers to yes/no questions.
#
# The answer is 'No' if the evidence denies, or if the question is about two subjects and is true of only one.


_DENIAL: Final = re.compile(
    r"\b(?:not|no|never|none|without|neither|nor|cannot|only later|ceased|lacks?)\b|n['’]t\b", re.IGNORECASE
)
_BOTH: Final = re.compile(r"\b(?:both|same|also)\b", re.IGNORECASE)


def yes_or_no(question: str, found: Sequence[PassageEvidence]) -> str:
    """Return 'Yes' or 'No'; `found` is the evidence, best first."""
    if _BOTH.search(question):
        return _shared(question, found)
    denied = bool(_DENIAL.search(found[0].sentence.text)) != bool(_DENIAL.search(question))
    return "No" if denied else "Yes"


def _shared(question: str, found: Sequence[PassageEvidence]) -> str:
    """Return 'Yes' if the passages of both subjects in the question have the question's predicate, else 'No'."""
    asked = fold(question)
    passages = {e.passage.index: e.passage for e in found}.values()
    named = [p for p in passages if len(subject_of(p)) > 2 and subject_of(p) in asked][:2]
    if len(named) < 2:
        return "Yes"
    predicate = set(asked_of(question).words) - {w for p in named for w in concept_set(subject_of(p))}
    wanted = predicate - {"both", "same"}
    # A passage has the predicate if it has half of the predicate's words.
    both = all(len(wanted & concept_set(p.text)) >= 0.5 * len(wanted) for p in named)
    return "Yes" if both else "No"
