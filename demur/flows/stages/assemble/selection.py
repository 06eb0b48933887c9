"""Items of a stratum chosen by difficulty: as many of each generator as in any round, a part of them at random."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from demur.configuration.assembly import DifficultyChoice
from demur.engine.context import RoundContext
from demur.levers.vocabulary import Intensity, LeverClass
from demur.scoring.selection import ChosenItem, Probed, chances_right, draw, shares

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
