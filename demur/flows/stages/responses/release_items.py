"""Items of a frozen release, read from its file `items.jsonl`, and samples of them."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from demur.engine.context import RoundContext
from demur.errors import ConfigError
from demur.levers.explain import first_fault
from demur.levers.instances import BaseInstance, Passage
from demur.levers.vocabulary import ENGLISH, Expectation, Intensity, ItemKind, Layout, LeverClass
from demur.warehouse.releases.manifest import Release
from demur.warehouse.tables import Table
from demur.warehouse.tables.models import arrow_schema

# Items of a frozen release, read from its file `items.jsonl`.


FILE: Final = "items.jsonl"


class ReleasedItem(BaseModel):
    """One item of a release, as a line of `items.jsonl`.

    Fields of the line that are not declared here are extra fields. They have the names of columns of the table `items`.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    source_id: str
    base_id: str
    kind: ItemKind
    layout: Layout
    domain: str | None
    title: str | None
    generator_model: str | None
    perturbation_class: LeverClass | None
    intensity: Intensity | None
    expected_rag_behavior: Expectation
    lever_id: str | None
    lever_selected: str | None
    original_query: str | None
    original_answers: tuple[str, ...]
    original_grounding: tuple[str, ...]
    perturbed_query: str
    grounding: tuple[str, ...]
    signal_indices: tuple[int, ...]
    language: str | None = ENGLISH
    language_confidence: float | None = None

    def typical(self) -> BaseInstance:
        """Return question, passages and answers as shown to models, to measure the length of prompts."""
        return BaseInstance(
            question=self.perturbed_query,
            answers=self.original_answers or ("",),
            passages=self.passages(),
            language=self.language or ENGLISH,
        )

    def passages(self) -> tuple[Passage, ...]:
        """Return the passages that respondents are shown."""
        return tuple(Passage.model_validate(one) for one in self._passages(self.grounding))

    def base_row(self, place: int) -> dict[str, Any]:
        """Return the item's base instance as a row; `place` is the number of the base instance, from 0."""
        return {
            "base_id": self.base_id,
            "source_id": self.source_id,
            "draw": place,
            "layout": self.layout.value,
            "domain": self.domain,
            "title": self.title,
            "question": self.original_query,
            "answers": list(self.original_answers),
            "passages": [{**one, "title": None} for one in self._passages(self.original_grounding)],
            "language": self.language,
            "language_confidence": self.language_confidence,
        }

    def row(self) -> dict[str, Any]:
        """Return the item as a row of the table `items`. A column is None if the line has no such field."""
        named = {
            "item_id": self.id,
            "kind": self.kind.value,
            "base_id": self.base_id,
            "perturbation_id": None if self.kind is ItemKind.CONTROL else self.id,
            "class": self.perturbation_class,
            "intensity": self.intensity,
            "lever_id": self.lever_id,
            "lever": self.lever_selected,
            "generator": self.generator_model,
            "expected": self.expected_rag_behavior.value,
            "question": self.perturbed_query,
            "answers": list(self.original_answers),
            "passages": self._passages(self.grounding),
            "language": self.language,
        }
        rest = [name for name in arrow_schema(Table.ITEMS).names if name not in {*named, "round_id", "unit_id"}]
        return {**named, **{name: (self.model_extra or {}).get(name) for name in rest}}

    def _passages(self, texts: Sequence[str]) -> list[Mapping[str, Any]]:
        return [
            {"index": index, "text": text, "relevant": index in self.signal_indices} for index, text in enumerate(texts)
        ]


def released_items(release: Release) -> Iterator[ReleasedItem]:
    """Yield the items of a release, in the order of their ids.

    Raises:
        ConfigError: the file is missing, or a line is no item of this version of demur.
    """
    path = release.path / FILE
    read = 0
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield ReleasedItem.model_validate_json(line)
                read += 1
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read ({exc.strerror}). Restore it from a copy of the release") from exc
    except ValidationError as exc:
        raise ConfigError(
            f"{path}: line {read + 1}: {first_fault(exc)}. This version of demur cannot read such items; use "
            "the version that the release's manifest names under packages"
        ) from exc


# Samples of a release's items. A larger sample of the same kind contains every smaller one.
#
# The draw depends on the release, and on the sample's seed if there is one: everybody who asks for a sample of one
# size and seed gets the same items.


def asked_items(context: RoundContext) -> list[ReleasedItem]:
    """Return the items of the evaluated release that are asked, in the order of the release."""
    assert context.release is not None
    items = list(released_items(context.release))
    sample = context.config.sample
    if sample is None:
        return items
    seed = context.seed if sample.seed is None else sample.seed
    if sample.bases is not None:
        sources = sorted({item.source_id for item in items}, key=lambda source: _place(seed, source))
        chosen = set(sources[: sample.bases])
        return [item for item in items if item.source_id in chosen]
    drawn = {item.id for item in _stratified_order(items, seed)[: sample.items]}
    return [item for item in items if item.id in drawn]


def sample_in_words(context: RoundContext) -> str | None:
    """Return the sample's size and seed, such as `200 of 1,600 items, seed 7`; None if all items are asked."""
    assert context.release is not None
    sample = context.config.sample
    drawn = asked_items(context)
    if sample is None or len(drawn) == context.release.items:
        return None
    of_items = f"{len(drawn):,} of {context.release.items:,} items"
    of_items += "" if sample.seed is None else f", seed {sample.seed}"
    if sample.bases is None:
        return of_items
    sources = len({item.source_id for item in released_items(context.release)})
    return f"{sample.bases:,} of {sources:,} source questions, {of_items}"


def _stratified_order(items: Sequence[ReleasedItem], seed: int) -> list[ReleasedItem]:
    """Return the items in an order of which each beginning is a sample in proportion to the strata.

    A stratum has the items of one kind, class, intensity and expected behaviour. Within a stratum, the first item of a
    source question comes before its later ones, so that a sample has as many source questions as possible.
    """
    turns: Counter[str] = Counter()
    strata: defaultdict[tuple[str | None, ...], list[tuple[int, str, ReleasedItem]]] = defaultdict(list)
    for item in sorted(items, key=lambda item: _place(seed, item.id)):
        # Class and intensity decide what is expected, except in imported sets without them.
        stratum = item.kind, item.perturbation_class, item.intensity, item.expected_rag_behavior
        strata[stratum].append((turns[item.source_id], _place(seed, item.id), item))
        turns[item.source_id] += 1
    ranked = [
        # The middle of the item's share of its stratum: strata of all sizes fill up evenly.
        ((rank + 0.5) / len(members), place, item)
        for members in strata.values()
        for rank, (_, place, item) in enumerate(sorted(members, key=lambda one: one[:2]))
    ]
    return [item for _, _, item in sorted(ranked, key=lambda one: one[:2])]


def _place(seed: int, name: str) -> str:
    return hashlib.sha256(f"sample|{seed}|{name}".encode()).hexdigest()
