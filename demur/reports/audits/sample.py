"""A sample of accepted items for people to read: suspected ones, then some of each stratum by lot, on one page."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demur.errors import FlowError
from demur.levers.catalogue import Catalogue
from demur.levers.load import load_catalogue
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import STRATA, LeverClass
from demur.reports.audit import AuditItem, AuditSample, render_audit
from demur.warehouse.connection import Connection, reading
from demur.warehouse.home import Home
from demur.warehouse.records import records

AUDITS = "audits.jsonl"
"""The file of a release that says what people found."""
SUSPECTED_FROM = 0.02
"""From which suspicion on an item is worth reading for that alone."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A page for readers, and its contents."""

    page: str
    sample: AuditSample


def sample_audit(
    home: Home,
    round_id: str,
    *,
    per_stratum: int,
    seed: int | None,
    suspected: int = 0,
    catalogues: Sequence[Path] = (),
) -> Sampled:
    """Return the page with so many items of each stratum of a round, or all if there are fewer.

    The default seed is the round's own. The same round and seed give the same items in the same order. The order is
    random, so a reader who stops early has read some of every stratum. At most `suspected` items come first: items that
    abler respondents get wrong more often, the most suspicious first. Those outside the random sample are marked and do
    not count for pass rates.

    Raises:
        FlowError: no such round, or a round without accepted items.
        LeverError: a catalogue cannot be read.
    """
    catalogue = load_catalogue(None, *catalogues)
    with reading(home) as con:
        seeds = {str(row["round_id"]): int(row["seed"]) for row in records(con, "audit_rounds")}
        if round_id not in seeds:
            raise FlowError(f"round {round_id!r} is not one of {', '.join(seeds) or 'none yet: run demur round'}")
        found = list(records(con, "audit_items", [round_id]))
    if not found:
        raise FlowError(f"round {round_id}: it holds no accepted items to read. Run it at least up to assemble")
    lot = seeds[round_id] if seed is None else seed
    rows = drawn(found, round_id, per_stratum, lot)
    doubted = doubtful(found, suspected)
    by_lot = {row["item_id"] for row in rows}
    sample = AuditSample(
        round_id=round_id,
        seed=lot,
        per_stratum=per_stratum,
        items=[
            *(_item(row, catalogue, suspected=row["item_id"] not in by_lot) for row in doubted),
            *(_item(row, catalogue) for row in rows if row not in doubted),
        ],
        short=list(_short(rows, per_stratum)),
    )
    return Sampled(render_audit(sample), sample)


def released_audits(con: Connection, round_id: str) -> dict[str, str]:
    """Return people's findings on a round as a file of its release, by name; none without audits."""
    lines = [json.dumps(row) + "\n" for row in records(con, "release_audits", [round_id])]
    return {AUDITS: "".join(lines)} if lines else {}


def drawn(rows: Sequence[dict[str, Any]], round_id: str, per_stratum: int, seed: int) -> list[dict[str, Any]]:
    """Return at most so many rows of each stratum, drawn and put in order by lot; the order of `rows` has no say."""
    rng = random.Random(f"audit|{round_id}|{seed}")
    chosen: list[dict[str, Any]] = []
    for lever_class, intensity in STRATA:
        own = [row for row in rows if (row["class"], row["intensity"]) == (lever_class, intensity)]
        own.sort(key=lambda row: str(row["item_id"]))
        chosen += rng.sample(own, k=min(per_stratum, len(own)))
    rng.shuffle(chosen)
    return chosen


def doubtful(rows: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Return at most so many rows with a suspicion of SUSPECTED_FROM or more, the most suspicious first."""
    known = [row for row in rows if (row["suspicion"] or 0.0) >= SUSPECTED_FROM]
    return sorted(known, key=lambda row: (-row["suspicion"], str(row["item_id"])))[:most]


def _short(rows: Iterable[dict[str, Any]], per_stratum: int) -> Iterable[tuple[str, str, int]]:
    counted = [(row["class"], row["intensity"]) for row in rows]
    for lever_class, intensity in STRATA:
        number = counted.count((lever_class.value, intensity.value))
        if number < per_stratum:
            yield lever_class.value, intensity.value, number


def _item(row: dict[str, Any], catalogue: Catalogue, *, suspected: bool = False) -> AuditItem:
    known = {lever.id: lever.instruction for lever in catalogue}
    return AuditItem(
        item_id=row["item_id"],
        lever_class=row["class"],
        class_note=load_taxonomy().definition(LeverClass(row["class"])),
        intensity=row["intensity"],
        lever=row["lever"],
        instruction=known.get(row["lever_id"], ""),
        expected=row["expected"],
        original_question=row["original_question"],
        question=row["question"],
        answers=row["answers"],
        original_passages=row["original_passages"],
        passages=row["passages"],
        relevant=row["relevant"],
        suspected=suspected,
    )
