"""What Thompson sampling over levers and knobs gains over ten rounds: information on the best respondent per item.

    python benchmarks/lever_bandit.py [--simulations 40] [--rounds 10] [--floor 0.25] [--seed 20261122] [--world NAME]

18 strata of 12 levers, 24 places a stratum and round, four respondents of known ability, the same in every round.
Levers differ in difficulty and discrimination within their stratum (a share of the variance over items), strata too.
Each round is answered, fitted as `demur` fits a round, and the next one's places are drawn from what all rounds before
said; beside it stand rounds whose levers go round evenly, at the same number of items. What counts is the information
of the items at the best respondent's true ability. `at most` is the gain of who knows every lever and keeps the floor
from the first round on. Intervals are over simulations; seeds are fixed beforehand.

In eight strata every item takes an arm of a knob beside its lever: no second defect, or one of either class. Arms
differ as levers of a stratum do, each alike in all of these strata. The gain of levers is that with arms taken evenly.
"""

import argparse
import time
from collections import Counter
from random import Random

import numpy as np
import pandas as pd
from scipy.special import expit

from demur.scoring.hinge import one_thread
from demur.scoring.irt.fit import ItemResponseFit, fit
from demur.scoring.irt.patterns import Patterns
from demur.scoring.irt.posterior import group_parameters
from demur.scoring.lever_bandit import LeverEstimate, draw_lever, lever_states

SEED, STRATA, LEVERS, PLACES = 20_261_122, 18, 12, 24
KNOB_STRATA, ARMS = 8, ("none", "first", "second")
ABILITIES = np.array([-1.0, 0.0, 1.0, 2.0])
WORLDS = {
    "levers alike (.1)": (1.2, 0.4, 0.1),
    "as the priors (.3)": (1.2, 0.4, 0.3),
    "as the embedded round (.3)": (1.4, 1.0, 0.3),
    "levers apart (.5)": (1.4, 0.7, 0.5),
}
"""Spread of difficulties, of discriminations, and the share of both variances that lies between levers."""


class World:
    """Levers of known difficulty and discrimination, and respondents that answer their items."""

    def __init__(self, difficulty: float, discrimination: float, share: float, rng: np.random.Generator) -> None:
        levers = STRATA * LEVERS
        stratum = np.repeat(0.5 * np.sqrt(share) * rng.standard_normal(STRATA), LEVERS)
        self.harder = difficulty * (stratum + np.sqrt(0.75 * share) * rng.standard_normal(levers))
        self.steeper = discrimination * np.sqrt(share) * rng.standard_normal(levers)
        self.arms = np.sqrt(0.75 * share) * rng.standard_normal((2, len(ARMS))) * [[difficulty], [discrimination]]
        self.own = difficulty * np.sqrt(1.0 - share), discrimination * np.sqrt(1.0 - share)
        self.rng = rng

    def answered(self, levers: np.ndarray, arms: np.ndarray) -> tuple[Patterns, float]:
        """Return responses to one item of each lever and arm (-1 for none), and mean information of the best."""
        harder, steeper = np.where(arms < 0, 0.0, self.arms[:, arms])
        hard = self.harder[levers] + harder + self.own[0] * self.rng.standard_normal(len(levers))
        slope = np.exp(self.steeper[levers] + steeper + self.own[1] * self.rng.standard_normal(len(levers)))
        chance = expit(slope[:, None] * (ABILITIES - hard[:, None]))
        right = (self.rng.random(chance.shape) < chance).astype(np.float64)
        names = tuple("abcd"), tuple(str(at) for at in range(len(levers)))
        base = np.arange(len(levers)) % PLACES
        told = slope**2 * chance[:, -1] * (1.0 - chance[:, -1])
        return Patterns.counted(right, np.ones_like(right), base, *names), float(told.mean())

    def most(self, floor: float) -> float:
        """Return what knowing each lever's expected information would gain."""
        hard = self.harder[:, None] + self.own[0] * self.rng.standard_normal((STRATA * LEVERS, 2_000))
        slope = np.exp(self.steeper[:, None] + self.own[1] * self.rng.standard_normal(hard.shape))
        chance = expit(slope * (ABILITIES[-1] - hard))
        told = (slope**2 * chance * (1.0 - chance)).mean(axis=1).reshape(STRATA, LEVERS)
        return float(floor + (1.0 - floor) * told.max(axis=1).mean() / told.mean())


def rounds_of(world: World, rounds: int, floors: tuple[float, float], seed: int) -> tuple[list[float], int, int]:
    """Return the information per item of every round, and how often the rarest lever and arm were pulled in all.

    `floors` are the shares of places whose levers, and arms, are taken evenly.
    """
    rng = Random(seed)
    names = [[f"{stratum}.{lever}" for lever in range(LEVERS)] for stratum in range(STRATA)]
    at = {name: number for number, name in enumerate(name for stratum in names for name in stratum)}
    estimates: list[list[LeverEstimate]] = []
    of_arms: list[list[LeverEstimate]] = []
    told, pulled = [], Counter[str]()
    for number in range(rounds):
        places, arms = [], []
        arm_states = {state.lever_id: state for state in lever_states(ARMS, of_arms)}
        for at_stratum, stratum in enumerate(names):
            states = {state.lever_id: state for state in lever_states(stratum, estimates)}
            order = rng.sample(stratum, k=len(stratum))
            for place in range(PLACES):
                even = not estimates or rng.random() < floors[0]
                places.append(order[place % LEVERS] if even else draw_lever(stratum, states, rng))
                if at_stratum < KNOB_STRATA:
                    alike = not of_arms or rng.random() < floors[1]
                    arms.append(rng.choice(ARMS) if alike else draw_lever(ARMS, arm_states, rng))
                else:
                    arms.append("")
        pulled.update(places + arms)
        numbers = np.array([ARMS.index(arm) if arm else -1 for arm in arms])
        patterns, information = world.answered(np.array([at[lever] for lever in places]), numbers)
        told.append(information)
        if floors[0] < 1.0:
            fitted = fit(patterns)
            estimates.append(_estimates(fitted, pd.Series(places), seed + number))
            if floors[1] < 1.0:
                of_arms.append(_estimates(fitted, pd.Series(arms).replace("", None), seed + number))
    return told, min(pulled[lever] for lever in at), min(pulled[arm] for arm in ARMS)


def _estimates(fitted: ItemResponseFit, values: pd.Series, seed: int) -> list[LeverEstimate]:
    group, names = pd.factorize(values, sort=True)
    best = float(fitted.at.abilities.max())
    of = group_parameters(fitted, np.asarray(group, dtype=np.int64), len(names), best, seed=seed).information
    sizes = np.bincount(group[group >= 0])
    ends = zip(names, sizes, of.value, of.low, of.high, strict=True)
    return [LeverEstimate(str(name), int(size), float(v), float(lo), float(hi)) for name, size, v, lo, hi in ends]


def _gain(ratios: list[float]) -> str:
    gain, half = np.mean(ratios), 1.96 * np.std(ratios, ddof=1) / np.sqrt(len(ratios))
    return f"{gain:.2f} ({gain - half:.2f} to {gain + half:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--floor", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--world", nargs="*", choices=list(WORLDS), help="which of the tables' rows; all")
    a = parser.parse_args()
    started = time.process_time()
    ways = {"even": (1.0, 1.0), "levers": (a.floor, 1.0), "both": (a.floor, a.floor)}
    print("| levers | even, per item | gain, levers | gain, levers and arms | last round | at most, levers | rarest |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with one_thread():
        for name in a.world or WORLDS:
            gains: dict[str, list[float]] = {"levers": [], "both": []}
            last, level, most, rarest = [], [], [], []
            for seed in range(a.seed, a.seed + a.simulations):
                told = {}
                for way, floors in ways.items():
                    world = World(*WORLDS[name], np.random.default_rng([seed, 1]))
                    told[way], *fewest = rounds_of(world, a.rounds, floors, seed)
                even = np.mean(told["even"])
                for way, ratios in gains.items():
                    ratios.append(float(np.mean(told[way]) / even))
                last.append(told["both"][-1] / even)
                level.append(even)
                rarest.append(fewest)
                most.append(World(*WORLDS[name], np.random.default_rng([seed, 1])).most(a.floor))
            lever, arm = np.min(rarest, axis=0)
            cells = (
                name,
                f"{np.mean(level):.3f}",
                _gain(gains["levers"]),
                _gain(gains["both"]),
                f"{np.mean(last):.2f}",
                f"{np.mean(most):.2f}",
                f"{lever} of {a.rounds * PLACES // LEVERS}, {arm} of {a.rounds * PLACES * KNOB_STRATA // len(ARMS)}",
            )
            print(f"| {' | '.join(cells)} |", flush=True)
    print(f"{a.simulations} simulations each, {time.process_time() - started:.0f} s of CPU")


if __name__ == "__main__":
    main()
