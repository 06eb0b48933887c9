"""Words and numerals as keys by which answers are found, and texts that give away what another text says."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.text.dates_and_numbers import numerals
from demur.text.tokens import is_unspaced, tokenise

# Words and numerals of a text as keys. Answers are found by comparing keys.


_KEPT_SYMBOLS = frozenset("%$£€")


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a word or a whole numeral, and its position in the text."""

    key: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def match_keys(text: str) -> tuple[Key, ...]:
    """Return the keys of the words and numerals in `text`.

    '1,000', 'one thousand' and '1000' have the same key. '%' and 'percent' have the same key.
    """
    tokens = tokenise(text)
    by_first = {n.first: n for n in numerals(tokens)}
    keys: list[Key] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        numeral = by_first.get(position)
        if numeral is not None:
            mark = "th" if numeral.ordinal else ""
            keys.append(Key(f"#{numeral.value:g}{mark}", token.start, tokens[numeral.last].end))
            position = numeral.last + 1
            continue
        if token.is_word or token.text in _KEPT_SYMBOLS:
            end = token.end - 2 if token.text.endswith(("'s", "’s")) and len(token.text) > 2 else token.end
            keys.append(Key(token.norm, token.start, end))
        position += 1
    return tuple(keys)


# Texts that give away what another text says: the same text, a near copy, or a text with the sentence of an answer.
#
# Texts are compared by their words, in small letters and in Unicode form NFKC. Spaces, line breaks and punctuation do
# not count. In scripts without spaces between words, each character is a word.


_RUN: Final = 5
"""The words of a run. Two texts share a run by chance only where they share a name or a phrase."""
_NEAR: Final = 0.5
"""The share of the shorter text's runs that a near copy shares. A text within another one shares all, apart from runs
over its heading; passages that are cut at other places share half and more, or the sentence of the answer."""
_OF_SENTENCE: Final = 0.8
"""The share of an answer's sentence that gives the answer away: all but a few of its runs."""
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]+)*")


@dataclass(frozen=True, slots=True)
class Original:
    """An unperturbed passage of a base instance. `answers` are the accepted answers if the passage is relevant."""

    base_id: str
    place: int
    text: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DistinctText:
    """A text, where it stands, and the base instances whose items it gives away.

    `originals` are the passages with this text. `bases` are their base instances, and the base instances of which the
    text is a near copy or has the sentence of an answer. A near copy must state an accepted answer if the passage does.
    """

    originals: tuple[Original, ...]
    bases: frozenset[str]

    @property
    def owners(self) -> Set[str]:
        """The base instances that have the text as a passage."""
        return {one.base_id for one in self.originals}


def distinct_texts(originals: Iterable[Original]) -> list[DistinctText]:
    """Return one entry for each distinct text, in the order of the first passage with the text."""
    by_words: dict[str, list[Original]] = defaultdict(list)
    for one in originals:
        by_words[" ".join(_words(one.text))].append(one)
    keys, texts = list(by_words), list(by_words.values())
    runs = [_runs(key.split(" ")) for key in keys]
    holding: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, own in enumerate(runs):
        for run in own:
            holding[run].append(number)
    bases = [{one.base_id for one in same} for same in texts]
    for number, same in enumerate(texts):
        relevant = [one for one in same if one.answers]
        near = _near(number, runs, holding) if relevant else set()
        for one in relevant:
            found = near.union(
                *(_sharing(sentence, holding, _OF_SENTENCE * len(sentence)) for sentence in _sentences_of_answer(one))
            )
            # Texts of one pattern about different things are no copies: they share most words, but not the answer.
            stating = {other for other in found if _states(keys[other], one.answers)}
            for other in stating if _states(keys[number], one.answers) else found:
                bases[other].add(one.base_id)
    return [DistinctText(tuple(same), frozenset(own)) for same, own in zip(texts, bases, strict=True)]


def _near(
    number: int, runs: Sequence[Set[tuple[str, ...]]], holding: Mapping[tuple[str, ...], Sequence[int]]
) -> set[int]:
    shared = Counter(other for run in runs[number] for other in holding[run])
    return {other for other, count in shared.items() if count >= _NEAR * min(len(runs[number]), len(runs[other]))}


def _sharing(wanted: Set[tuple[str, ...]], holding: Mapping[tuple[str, ...], Sequence[int]], least: float) -> set[int]:
    shared = Counter(other for run in wanted for other in holding.get(run, ()))
    return {other for other, count in shared.items() if count >= least}


def _sentences_of_answer(one: Original) -> Iterable[Set[tuple[str, ...]]]:
    """Yield the runs of each sentence that has an accepted answer. Sentences without a whole run give nothing away."""
    for match in _SENTENCE.finditer(one.text):
        words = _words(match.group())
        if len(words) > _RUN and _states(" ".join(words), one.answers):
            yield _runs(words)


def _states(said: str, answers: Iterable[str]) -> bool:
    """Return whether words, separated by spaces, contain an answer."""
    return any(f" {' '.join(words)} " in f" {said} " for answer in answers if (words := _words(answer)))


def _runs(words: Sequence[str]) -> Set[tuple[str, ...]]:
    return {tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}


def _words(text: str) -> list[str]:
    found: list[str] = []
    for word in re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()):
        found += word if any(map(is_unspaced, word)) else [word]
    return found
