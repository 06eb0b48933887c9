"""How often 95 % intervals of item response theory hold planted abilities, difficulties and discriminations.

    python benchmarks/item_response.py [--rounds 400] [--respondents 4 12 30] [--bases 50] [--items-per-base 4]

Every round draws respondents, source questions, levers and items afresh: difficulties vary by source question (.2 of
their variance), by lever (.3) and by item, discriminations by lever (.3) and by item; levers are those of a catalogue,
whose mean is the zero of the scale, source questions a sample. The spreads are planted beside the priors' medians (.8,
1.2 and 1.7 for difficulties, .25, .4 and .6 for discriminations, in turn). `error` is the half-width of the coverage's
own 95 % interval over rounds. Then it says how well suspicion finds items whose key is wrong: one in twenty is answered
as if right were wrong. Seeds are fixed beforehand.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from demur.scoring.bootstrap import FloatArray, IntArray
from demur.scoring.hinge import one_thread
from demur.scoring.irt.fit import fit
from demur.scoring.irt.patterns import Patterns
from demur.scoring.irt.posterior import Located, group_parameters, item_parameters

SEED, LEVERS = 20_261_122, 36
SPREADS = ((0.8, 0.25), (1.2, 0.4), (1.7, 0.6))
BASE_SHARE, LEVER_SHARE, WRONG_KEYS = 0.2, 0.3, 0.05
LOWEST, HIGHEST = 93.0, 97.0


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """A round with everything known; parameters of levers are those of the population of their items."""

    patterns: Patterns
    abilities: FloatArray
    difficulty: FloatArray
    slope: FloatArray
    lever: IntArray
    lever_difficulty: FloatArray
    lever_slope: FloatArray
    wrong_key: FloatArray


def planted(
    respondents: int, bases: int, items_per_base: int, rng: np.random.Generator, spreads: tuple[float, float],
    wrong_keys: float = 0.0,
) -> Planted:  # fmt: skip
    """Return a round that was drawn from the model, with some keys wrong."""
    items = bases * items_per_base
    base, lever = np.repeat(np.arange(bases), items_per_base), rng.integers(LEVERS, size=items)
    harder, steeper = (drawn - drawn.mean() for drawn in rng.standard_normal((2, LEVERS)))
    own = np.sqrt(1.0 - BASE_SHARE - LEVER_SHARE) * rng.standard_normal(items)
    shared = np.sqrt(BASE_SHARE) * rng.standard_normal(bases)[base]
    difficulty = spreads[0] * (np.sqrt(LEVER_SHARE) * harder[lever] + shared + own)
    vary = np.sqrt(1.0 - LEVER_SHARE) * rng.standard_normal(items)
    slope = spreads[1] * (np.sqrt(LEVER_SHARE) * steeper[lever] + vary)
    abilities = 0.5 + rng.standard_normal(respondents)
    chance = expit(np.exp(slope)[:, None] * (abilities - difficulty[:, None]))
    wrong = rng.random(items) < wrong_keys
    chance = np.where(wrong[:, None], 1.0 - chance, chance)
    right = (rng.random(chance.shape) < chance).astype(np.float64)
    names = tuple(f"r{at}" for at in range(respondents)), tuple(f"i{at}" for at in range(items))
    patterns = Patterns.counted(right, np.ones_like(right), base, *names)
    by_lever = spreads[0] * np.sqrt(LEVER_SHARE) * harder, spreads[1] * np.sqrt(LEVER_SHARE) * steeper
    return Planted(patterns, abilities, difficulty, slope, lever, *by_lever, wrong.astype(np.float64))


def held(of: Located, truth: FloatArray) -> tuple[float, float]:
    """Return the shares of intervals that hold the truth, and their mean width."""
    return float(((of.low <= truth) & (truth <= of.high)).mean()), float((of.high - of.low).mean())


def coverage(respondents: int, bases: int, items_per_base: int, rounds: int) -> pd.DataFrame:
    """Return, per quantity, in what percentage of cases the interval holds the planted value."""
    found: list[tuple[str, float, float, float]] = []
    for number in range(rounds):
        rng = np.random.default_rng([SEED, respondents, number])
        spreads = SPREADS[number % len(SPREADS)]
        drawn = planted(respondents, bases, items_per_base, rng, spreads)
        fitted = fit(drawn.patterns)
        _, low, high = fitted.ability_intervals()
        best = float(fitted.at.abilities.max())
        items = item_parameters(fitted, best, seed=number)
        levers = group_parameters(fitted, drawn.lever, LEVERS, best, seed=number)
        certified = float(fitted.is_certified)
        cells = (
            ("ability", Located(fitted.at.abilities, low, high), drawn.abilities),
            ("difficulty of an item", items.difficulty, drawn.difficulty),
            ("discrimination of an item", items.discrimination, np.exp(drawn.slope)),
            ("difficulty of a lever", levers.difficulty, drawn.lever_difficulty),
            ("discrimination of a lever", levers.discrimination, np.exp(drawn.lever_slope)),
        )
        found += [(name, *held(of, truth), certified) for name, of, truth in cells]
    frame = pd.DataFrame(found, columns=["quantity", "held", "width", "certified"])
    table = frame.groupby("quantity", sort=False).agg(
        coverage=("held", "mean"), error=("held", "sem"), width=("width", "mean"), certified=("certified", "mean")
    )
    table[["coverage", "error", "certified"]] *= 100.0
    return table.assign(error=1.96 * table["error"])


def suspicion(respondents: int, bases: int, items_per_base: int, rounds: int) -> tuple[float, float, float]:
    """Return the area under the curve, how many of the ten most suspicious items have a wrong key, and of ten drawn."""
    areas, top, share = [], [], []
    for number in range(rounds):
        rng = np.random.default_rng([SEED, respondents, number, 1])
        drawn = planted(respondents, bases, items_per_base, rng, SPREADS[1], WRONG_KEYS)
        fitted = fit(drawn.patterns)
        suspected = item_parameters(fitted, 0.0, seed=number).suspicion
        assert suspected is not None
        wrong = drawn.wrong_key == 1.0
        if wrong.any():
            above = suspected[wrong][:, None] - suspected[~wrong]
            areas.append(float(((above > 0) + (above == 0) / 2.0).mean()))
        top.append(10.0 * wrong[np.argsort(-suspected, kind="stable")[:10]].mean())
        share.append(10.0 * wrong.mean())
    return float(np.mean(areas)), float(np.mean(top)), float(np.mean(share))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--respondents", type=int, nargs="+", default=[4, 12, 30])
    parser.add_argument("--bases", type=int, default=50)
    parser.add_argument("--items-per-base", type=int, default=4)
    a = parser.parse_args()
    started = time.process_time()
    size = (a.bases, a.items_per_base, a.rounds)
    with one_thread():
        for respondents in a.respondents:
            table = coverage(respondents, *size)
            outside = int((~table["coverage"].between(LOWEST, HIGHEST)).sum())
            print(f"\n{respondents} respondents, {a.bases * a.items_per_base} items; {outside} outside 93 to 97 %")
            print(table.round(2).to_string())
            area, top, drawn = suspicion(respondents, a.bases, a.items_per_base, max(2, a.rounds // 4))
            print(f"wrong keys: area {area:.3f}; among the ten most suspicious {top:.1f}, among ten drawn {drawn:.1f}")
    print(f"{a.rounds} rounds each, {time.process_time() - started:.0f} s of CPU")


if __name__ == "__main__":
    main()
