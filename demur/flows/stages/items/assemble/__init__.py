"""The stage assemble samples items from accepted perturbations, and makes a control of every base instance.

The sample is drawn in each stratum, with equal shares of the generators as far as possible. If a stratum has too few
perturbations, it gets fewer items; the view `quotas` shows this.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

from demur.engine.context import RoundContext, digest_of
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.errors import StageStopped
from demur.levers.instances import base_of, passage_records, perturbation_of
from demur.levers.vocabulary import ENGLISH, STRATA, Code, Intensity, LeverClass, expected_code
from demur.programs.checks.added_text import frame_grams
from demur.programs.checks.changes import change_place, compare, words_added
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

Accepted = Mapping[str, Any]


FOLDER: Final = Path(__file__).parent
NAME: Final = "assemble"
ITEM: Final = ("item_id",)


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Draw the sample from the accepted perturbations, and yield one unit for each item.

    Raises:
        StageStopped: no perturbation is accepted.
    """
    accepted = list(records(con, FOLDER / "plan.sql", [context.round_id]))
    if not accepted:
        raise StageStopped(
            f"round {context.round_id}: no perturbation was accepted, so there is no item to evaluate models on. "
            f"`demur rounds {context.round_id} --full` shows the reasons. Change levers, generators or verifiers"
        )
    bases = {str(row["base_id"]): row for row in records(con, FOLDER / "bases.sql", [context.round_id])}
    for base in bases.values():
        yield planned_unit(context, NAME, ITEM, _control(context, base))
    for row in _chosen(context, accepted):
        yield planned_unit(context, NAME, ITEM, _perturbed(bases[str(row["base_id"])], row))


def _chosen(context: RoundContext, accepted: Sequence[Accepted]) -> Iterator[Accepted]:
    generation = context.config.generation
    for lever_class, intensity in product(generation.classes, generation.intensities):
        stratum = [row for row in accepted if (row["class"], row["intensity"]) == (lever_class, intensity)]
        yield from sample_stratum(context, lever_class, intensity, stratum)


def _rows(context: RoundContext, unit: Unit) -> Rows:
    return {"items": [{**unit.key(context.round_id), "language": ENGLISH, **unit.inputs}]}


def sample_stratum(
    context: RoundContext, lever_class: LeverClass, intensity: Intensity, accepted: Sequence[Accepted]
) -> list[Accepted]:
    """Return up to `items_per_stratum` accepted perturbations, balanced over generators, base instances and levers.

    Generators take turns, in the order of `generator_order`. In each turn, one perturbation of the generator is chosen:
    the one whose base instance occurs least often in the sample so far, and among equals the one whose lever occurs
    least often. A generator without perturbations loses its turn.
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
    """Return the generators in the order of their turns in a stratum.

    From stratum to stratum, the first turn passes to the next generator. The view `quotas` uses the same order.
    """
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
        **_language(base),
        **_columns_of(base),
    }


def _columns_of(base: Accepted) -> dict[str, object]:
    """Return the columns of a base instance on known answers and on the documents of its question, without nulls."""
    named = ("is_known", "documents", "passage_ids", "proof", "question_kind")
    return {name: base[name] for name in named if base[name] is not None}


def _language(base: Accepted) -> dict[str, object]:
    """Return the column `language`; {} for English, which is the default of items."""
    return {} if base["language"] == ENGLISH else {"language": base["language"]}


def _perturbed(base: Accepted, row: Accepted) -> dict[str, object]:
    perturbation = perturbation_of(row["question"], row["changed"], row["lever"])
    return {
        "item_id": row["perturbation_id"],
        "kind": "perturbed",
        **{name: row[name] for name in ("base_id", "perturbation_id", "class", "intensity")},
        **{name: row[name] for name in ("lever_id", "lever", "generator")},
        "expected": expected_code(LeverClass(row["class"]), Intensity(row["intensity"])).value,
        "question": perturbation.question,
        "answers": base["answers"],
        "passages": passage_records(perturbation.passages(base_of(base))),
        "words_changed": sum(part.words for _, part in compare(base_of(base), perturbation).parts),
        "words_added": words_added(base_of(base), perturbation),
        "change_place": change_place(base_of(base), perturbation).value,
        "frame_grams": frame_grams(base_of(base), perturbation),
        **_language(base),
        **_columns_of(base),
    }


ASSEMBLE: Final = Stage(NAME, "items", FOLDER, _plan, WithoutModels(_rows))
