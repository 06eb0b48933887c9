"""Organic items: questions that no answer was taken from, in the shape of perturbations that no generator made.

One kind is a question of the corpus that people marked as impossible, asked of a base instance with the same passages.
The other is a base instance with those passages of the corpus in the place of its own that a search with its question
finds first, none of which holds an accepted answer or is a version of its own ones. Both go the way of perturbations:
code checks, duplicates, verifiers.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from demur.corpora.corpus import CorpusPassage, CorpusRow, read_corpus
from demur.engine.context import RoundContext
from demur.engine.instances import passage_records
from demur.flows.stages.ingest.context import corpus_texts, usable_texts
from demur.levers.load import organic_levers
from demur.levers.vocabulary import CORPUS_GENERATOR, ItemKind

Inputs = dict[str, Any]
Made = tuple[Mapping[str, Any], str, list[dict[str, Any]]]
"""A base instance, and the question and the changed passages of an organic item on it."""
SAYS: Final = {
    ItemKind.UNANSWERABLE: "The corpus has this question, marked as impossible, on the same passages.",
    ItemKind.MISMATCHED: "A search with the question found these passages of other questions.",
}


def organic_inputs(context: RoundContext, bases: Sequence[Mapping[str, Any]]) -> Iterator[Inputs]:
    """Yield the inputs of a unit for every organic item that the round wants and its corpus and bases give."""
    organic = context.config.generation.organic
    if organic is None:
        return
    makers = {ItemKind.UNANSWERABLE: _unanswerable, ItemKind.MISMATCHED: _mismatched}
    for kind, wanted in organic.wanted().items():
        order = list(bases)
        context.rng("organic", kind).shuffle(order)
        lever = organic_levers()[kind]
        replicates = dict[str, int]()
        for base, question, changed in islice(makers[kind](context, order), wanted):
            base_id = str(base["base_id"])
            replicates[base_id] = replicates.get(base_id, -1) + 1
            yield {
                **base,
                "passages": passage_records(base["passages"]),
                "class": lever.lever_class.value,
                "intensity": lever.intensity.value,
                "generator": CORPUS_GENERATOR,
                "replicate": replicates[base_id],
                "levers": [lever.id],
                "organic": {"question": question, "changed": changed, "says": SAYS[kind]},
            }


def _unanswerable(context: RoundContext, bases: Sequence[Mapping[str, Any]]) -> Iterator[Made]:
    """Yield one impossible question of every base instance, then a second one of those that have two, and so on."""
    corpus = context.config.corpus
    asked = dict[tuple[str, ...], list[str]]()
    wanted = {_texts(base): base for base in bases}
    for row in read_corpus(context.file(corpus.path), corpus.format, on_bad_row=corpus.on_bad_row, impossible=True):
        texts = tuple(sorted(passage.text for passage in row.passages))
        if texts in wanted:
            asked.setdefault(texts, []).append(row.question)
    for turn in range(max(map(len, asked.values()), default=0)):
        for base in bases:
            if wanted[_texts(base)] is base and turn < len(questions := asked.get(_texts(base), [])):
                yield base, questions[turn], []


def _texts(base: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(sorted(passage["text"] for passage in base["passages"]))


def _mismatched(context: RoundContext, bases: Sequence[Mapping[str, Any]]) -> Iterator[Made]:
    stock, _ = corpus_texts(context)
    for base in bases:
        own = tuple(CorpusPassage(p["text"], p["relevant"]) for p in base["passages"])
        row = CorpusRow(str(base["base_id"]), None, None, base["question"], tuple(base["answers"]), own)
        found = list(islice(usable_texts(stock.to(row.question), row), len(own)))
        if len(found) == len(own):
            indices = (passage["index"] for passage in base["passages"])
            changed = [{"index": index, "text": text} for index, text in zip(indices, found, strict=True)]
            yield base, base["question"], changed
