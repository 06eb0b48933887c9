"""Assemble: from accepted perturbations to the round's items, stratified and balanced over generators.

Where the round wants that, a part of them is chosen by what probes got right.
Every base instance of the round also becomes an item unperturbed, its control. What a stratum lacks stands
in the view `quotas` as not filled; nothing takes its place silently.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

from demur.configuration.assembly import DifficultyChoice
from demur.engine.context import RoundContext, digest_of
from demur.engine.instances import base_of, passage_records, perturbation_of
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.levers.load import organic_levers
from demur.levers.vocabulary import CORPUS_GENERATOR, STRATA, Code, Intensity, ItemKind, LeverClass, expected_code
from demur.programs.checks.diff import compare
from demur.programs.checks.frames import frame_grams
from demur.scoring.selection import ChosenItem, Probed, chances_right, draw, shares
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

Accepted = Mapping[str, Any]


def distances_from_target(difficulty: DifficultyChoice, accepted: Sequence[Accepted]) -> dict[str, float]:
    """Return how far each accepted perturbation's chance of a right response is from the one that is wanted."""
    probed = [
        Probed(
            (f"{row['class']} {row['intensity']}", row["lever_id"]), row["right_responses"] or 0, row["pretested"] or 0
        )
        for row in accepted
    ]
    chances = chances_right(probed)
    return {
        str(row["perturbation_id"]): abs(chance - difficulty.target)
        for row, chance in zip(accepted, chances, strict=True)
    }


def select_stratum(
    context: RoundContext,
    stratum: tuple[LeverClass, Intensity],
    wanted: Mapping[str, int],
    accepted: Sequence[Accepted],
    distances: Mapping[str, float],
) -> list[tuple[Accepted, ChosenItem]]:
    """Return the chosen perturbations of a stratum, so many of each generator, with how each came to be chosen."""
    difficulty = context.config.assemble.difficulty
    assert difficulty is not None
    stock: dict[str, list[Accepted]] = defaultdict(list)
    for row in accepted:
        stock[str(row["generator"])].append(row)
    chosen = []
    for (generator, number), hard in zip(
        wanted.items(), shares(list(wanted.values()), difficulty.max_share), strict=True
    ):
        rows = stock[generator]
        drawn = draw(
            [distances[str(row["perturbation_id"])] for row in rows],
            [str(row["base_id"]) for row in rows],
            number,
            hard,
            context.rng("selection", *stratum, generator),
        )
        chosen += [(rows[one.at], one) for one in drawn]
    return chosen


FOLDER: Final = Path(__file__).parent
NAME: Final = "assemble"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit per item: the sample is drawn here, from what is accepted now."""
    accepted = list(records(con, FOLDER / "plan.sql", [context.round_id]))
    bases = {str(row["base_id"]): row for row in records(con, FOLDER / "bases.sql", [context.round_id])}
    for base in bases.values():
        yield planned_unit(context, NAME, _control(context, base))
    for row, drawn in _chosen(context, accepted):
        item = {**_perturbed(bases[str(row["base_id"])], row), **drawn}
        yield planned_unit(context, NAME, item)


def _chosen(context: RoundContext, accepted: Sequence[Accepted]) -> Iterator[tuple[Accepted, dict[str, object]]]:
    """Yield the perturbations that become items, with what is known of how they were drawn; of organic ones all."""
    yield from ((row, {}) for row in accepted if row["generator"] == CORPUS_GENERATOR)
    accepted = [row for row in accepted if row["generator"] != CORPUS_GENERATOR]
    generation = context.config.generation
    difficulty = context.config.assemble.difficulty
    distances = {} if difficulty is None else distances_from_target(difficulty, accepted)
    for lever_class, intensity in product(generation.classes, generation.intensities):
        stratum = [row for row in accepted if (row["class"], row["intensity"]) == (lever_class, intensity)]
        sample = sample_stratum(context, lever_class, intensity, stratum)
        if difficulty is None:
            yield from ((row, {}) for row in sample)
            continue
        number = Counter(str(row["generator"]) for row in sample)
        wanted = {name: number[name] for name in generator_order(context, lever_class, intensity)}
        for row, drawn in select_stratum(context, (lever_class, intensity), wanted, stratum, distances):
            drawn_by = "difficulty" if drawn.by_difficulty else "random"
            yield row, {"drawn_by": drawn_by, "inclusion": drawn.inclusion, "weight": drawn.weight}


def _rows(context: RoundContext, unit: Unit) -> Rows:
    return {"items": [{**unit.key(context.round_id), **unit.inputs}]}


def sample_stratum(
    context: RoundContext, lever_class: LeverClass, intensity: Intensity, accepted: Sequence[Accepted]
) -> list[Accepted]:
    """Return up to `items_per_stratum` accepted perturbations, even over generators, bases and levers.

    Generators take turns, each stratum beginning with the next one; each gives a perturbation of the base that was
    used least so far, and of these one of the lever used least. A generator that has no more passes its turn on,
    which the quotas show.
    """
    rng = context.rng(NAME, lever_class, intensity)
    turns = generator_order(context, lever_class, intensity)
    stock = {generator: [row for row in accepted if row["generator"] == generator] for generator in turns}
    for rows in stock.values():
        rng.shuffle(rows)
    used: dict[str, int] = defaultdict(int)
    chosen: list[Accepted] = []
    while len(chosen) < context.config.items_per_stratum and any(stock.values()):
        for generator in turns:
            rows = stock[generator]
            if not rows or len(chosen) >= context.config.items_per_stratum:
                continue
            least = min(rows, key=lambda row: (used[str(row["base_id"])], used[str(row["lever_id"])]))
            rows.remove(least)
            used[str(least["base_id"])] += 1
            used[str(least["lever_id"])] += 1
            chosen.append(least)
    return chosen


def generator_order(context: RoundContext, lever_class: LeverClass, intensity: Intensity) -> list[str]:
    """Return the generators in the order in which they are owed a stratum's items; the view `quotas` counts alike."""
    generators = list(context.config.roles.generators)
    first = STRATA.index((lever_class, intensity)) % len(generators)
    return generators[first:] + generators[:first]


def _control(context: RoundContext, base: Accepted) -> dict[str, object]:
    of_perturbations = ("perturbation_id", "class", "intensity", "lever_id", "lever", "generator")
    return {
        "item_id": digest_of(context.round_id, "control", base["base_id"]),
        "kind": "control",
        "base_id": base["base_id"],
        **dict.fromkeys(of_perturbations),
        "expected": Code.ANSWER_CORRECTLY.value,
        "question": base["question"],
        "answers": base["answers"],
        "passages": passage_records(base["passages"]),
        **_known(base),
    }


def _known(base: Accepted) -> dict[str, object]:
    """Return whether probes know the answer of a base instance, where they were asked."""
    return {} if base["is_known"] is None else {"is_known": base["is_known"]}


def _kind(row: Accepted) -> str:
    """Return the kind of an accepted perturbation: organic where its lever describes such items."""
    kinds = {lever.id: kind.value for kind, lever in organic_levers().items()}
    return kinds.get(str(row["lever_id"]), ItemKind.PERTURBED.value)


def _perturbed(base: Accepted, row: Accepted) -> dict[str, object]:
    perturbation = perturbation_of(row["question"], row["changed"], row["lever"])
    return {
        "item_id": row["perturbation_id"],
        "kind": _kind(row),
        **{name: row[name] for name in ("base_id", "perturbation_id", "class", "intensity")},
        **{name: row[name] for name in ("lever_id", "lever", "generator")},
        "expected": expected_code(LeverClass(row["class"]), Intensity(row["intensity"])).value,
        "question": perturbation.question,
        "answers": base["answers"],
        "passages": passage_records(perturbation.passages(base_of(base))),
        "words_changed": sum(part.words for _, part in compare(base_of(base), perturbation).parts),
        "frame_grams": frame_grams(base_of(base), perturbation),
        **(_known(base) if perturbation.question == base["question"] or _kind(row) == ItemKind.PERTURBED.value else {}),
    }


ASSEMBLE: Final = Stage(NAME, "items", FOLDER, _plan, WithoutModels(_rows))
