"""The whole context of a base instance: passages of the corpus around those that its question came with.

They are nearest to it of all that hold no accepted answer. The question's own passages keep their texts, and generators
see and change only these; screeners, verifiers, respondents and judges see all.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import Final

from demur.configuration.difficulty import ContextOrder, LongerContext, SignalPlace
from demur.corpora.corpus import CorpusFormat, CorpusPassage, CorpusRow, OnBadRow, read_corpus
from demur.engine.context import RoundContext
from demur.errors import ConfigError
from demur.levers.instances import BaseInstance
from demur.text.answers import YES_NO, find_answers
from demur.text.nearest import NearestTexts
from demur.text.questions import content_words
from demur.text.tokens import fold

MOST_TEXTS: Final = 10_000
"""Passages of a corpus among which the nearest are searched, the same ones every time: reading them takes 6 seconds."""
_SAME: Final = 0.6
"""From this share of the words of the shorter of two texts on, they are versions of one."""


@dataclass(frozen=True, slots=True)
class WholeContext:
    """All passages of a base instance in their order, and the places of those that its question came with."""

    passages: tuple[CorpusPassage, ...]
    own: tuple[int, ...]


def whole_contexts(context: RoundContext, rows: Mapping[str, CorpusRow]) -> dict[str, WholeContext]:
    """Return the contexts of base instances, by id; without `generation.context` their own passages.

    Raises:
        ConfigError: the corpus has too few passages that hold no answer.
    """
    longer = context.config.generation.context
    if longer is None:
        return {base_id: WholeContext(row.passages, tuple(range(len(row.passages)))) for base_id, row in rows.items()}
    stock, titles = corpus_texts(context)
    found = {}
    for base_id, row in rows.items():
        wanted = max(0, longer.passages - len(row.passages))
        near = " ".join((row.question, *(p.text for p in row.passages if p.relevant)))
        added = [CorpusPassage(text, False, titles[text]) for text in islice(usable_texts(stock.to(near), row), wanted)]
        if len(added) < wanted:
            raise ConfigError(
                f"generation.context.passages: {longer.passages}, and corpus.path {context.config.corpus.path} has "
                f"{len(added)} passages to put around the {len(row.passages)} of id {row.source_id}: no other is free "
                f"of its answers. Lower it to {len(row.passages) + len(added)} or less, or use a larger corpus"
            )
        found[base_id] = _arranged(longer, row, added, near, context.rng("context", base_id))
    return found


def row_in_context(row: CorpusRow, whole: WholeContext) -> tuple[BaseInstance, BaseInstance]:
    """Return a base instance as generators see it, and as all others do."""
    full = replace(row, passages=whole.passages).base_instance()
    return full.model_copy(update={"passages": tuple(full.passages[place] for place in whole.own)}), full


def corpus_texts(context: RoundContext) -> tuple[NearestTexts, Mapping[str, str | None]]:
    """Return the passages of the round's corpus, and the title of each; of a large one a sample."""
    corpus = context.config.corpus
    path = context.file(corpus.path)
    return _stock(path, corpus.format, corpus.on_bad_row, path.stat().st_mtime_ns)


@lru_cache(maxsize=2)
def _stock(
    path: Path, corpus_format: CorpusFormat, on_bad_row: OnBadRow, _changed_at: int
) -> tuple[NearestTexts, Mapping[str, str | None]]:
    """Return the passages of a corpus, and their titles; a large one is sampled by digests."""
    rows = read_corpus(path, corpus_format, on_bad_row=on_bad_row)
    titles = {passage.text: passage.title for row in rows for passage in row.passages}
    kept = nsmallest(MOST_TEXTS, titles, key=lambda text: sha256(text.encode()).digest())
    return NearestTexts(kept), titles


def usable_texts(texts: Iterator[str], row: CorpusRow) -> Iterator[str]:
    """Yield the texts that hold no accepted answer and are no version of one that the question came with."""
    own = [content_words(passage.text) for passage in row.passages]
    asked = content_words(row.question)
    concluded = any(fold(answer.strip()) in YES_NO for answer in row.answers)
    for text in texts:
        words = content_words(text)
        same = any(len(words & one) > _SAME * min(len(words), len(one)) for one in own)
        stated = concluded and len(words & asked) > len(asked) / 2
        if words and not same and not stated and not find_answers(text, row.answers):
            yield text


def _arranged(
    longer: LongerContext, row: CorpusRow, added: list[CorpusPassage], near: str, rng: random.Random
) -> WholeContext:
    signal = [p for p in row.passages if p.relevant]
    others = [*(p for p in row.passages if not p.relevant), *added]
    if longer.order is ContextOrder.SHUFFLED:
        rng.shuffle(others)
    else:
        ranks = {text: rank for rank, text in enumerate(NearestTexts(p.text for p in others).to(near))}
        others.sort(key=lambda passage: ranks[passage.text])
    places = _places(longer.signal, len(signal), len(others), rng)
    passages = list(others)
    for place, passage in zip(places, signal, strict=True):
        passages.insert(place, passage)
    new = set(map(id, added))
    return WholeContext(tuple(passages), tuple(at for at, passage in enumerate(passages) if id(passage) not in new))


def _places(place: SignalPlace, signal: int, others: int, rng: random.Random) -> list[int]:
    """Return the places of so many signal passages in the whole, in their order."""
    if place is SignalPlace.APART and signal > 1:
        return [number * (signal + others - 1) // (signal - 1) for number in range(signal)]
    first = {
        SignalPlace.START: 0,
        SignalPlace.END: others,
        SignalPlace.DRAWN: rng.randint(0, others),
    }.get(place, (others + 1) // 2)
    return [first + number for number in range(signal)]
