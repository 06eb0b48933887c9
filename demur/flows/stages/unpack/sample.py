"""Samples of a release's items. A larger sample of the same kind contains every smaller one.

The draw depends on the release, and on the sample's seed if there is one: everybody who asks for a sample of one size
and seed gets the same items.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence

from demur.engine.context import RoundContext
from demur.flows.stages.unpack.items import ReleasedItem, released_items


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
