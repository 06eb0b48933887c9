"""What choosing items by difficulty gains in information, and whether weighted scores tell of all candidates.

    python benchmarks/selection.py [--simulations 300] [--bases 60] [--candidates 3] [--items 24] [--max-share 0.5]

Respondents of known ability, one or two probes of others, and items of known difficulty and discrimination, of which a
part lies in the lever, in the question and in the item itself. Every simulation makes the candidates of a round, lets
probes respond, chooses items as a round does, and scores the respondents as a round does: as they are, and weighted by
inclusion probabilities. Beside it as many items are drawn at random from the same candidates. Information is that of
the items at a respondent's true ability, per item. The true score is that of all items that the world makes, not of the
candidates of one round. Coverage is of 95 % intervals; seeds are fixed beforehand.
"""

import argparse
import time
from collections.abc import Iterator
from random import Random

import numpy as np
import pandas as pd
from scipy.special import expit

from demur.levers.vocabulary import Code, Intensity, LeverClass, expected_code
from demur.scoring.hinge import one_thread
from demur.scoring.refusal import score
from demur.scoring.selection import ChosenItem, Probed, chances_right, draw, shares

SEED, LEVERS, TARGET = 20_261_122, 8, 0.5
STRATA = [(c, i) for c in (LeverClass.AMBIGUITY, LeverClass.MISSING_INFO) for i in Intensity]
ABILITIES = np.array([-1.0, 0.0, 1.0, 2.0, 3.0])
PROBES = {"one probe at 1": (1.0,), "one probe at 3": (3.0,), "two probes at 0 and 2": (0.0, 2.0)}
HEADER = """\
| probes | ability | information | bias as it is | bias weighted | coverage as it is | weighted | random | width |
|---|---:|---|---|---|---:|---:|---:|---:|"""
METRIC = "calibrated_refusal_score"


class World:
    """Difficulties and discriminations of strata and levers; questions and items add their own."""

    def __init__(self, rng: np.random.Generator) -> None:
        size = (len(STRATA), LEVERS)
        self.hard = 0.5 * rng.standard_normal((len(STRATA), 1)) + 0.8 * rng.standard_normal(size)
        self.steep = 0.2 + 0.2 * rng.standard_normal(size)
        self.rng = rng

    def candidates(self, bases: int, each: int) -> pd.DataFrame:
        """Return a row per accepted candidate: three in five of those that were asked for."""
        own = 0.5 * self.rng.standard_normal(bases)
        rows = [(s, b) for s in range(len(STRATA)) for b in range(bases) for _ in range(each)]
        frame = pd.DataFrame(rows, columns=["stratum", "base"])
        frame["lever"] = self.rng.integers(LEVERS, size=len(frame))
        frame["hard"] = self.hard[frame["stratum"], frame["lever"]] + own[frame["base"]] + self._items(len(frame))
        frame["slope"] = np.exp(self.steep[frame["stratum"], frame["lever"]] + 0.3 * self._items(len(frame)))
        return frame[self.rng.random(len(frame)) < 0.6].reset_index(drop=True)

    def true_scores(self) -> np.ndarray:
        """Return each respondent's calibrated refusal score over all items that the world makes."""
        shape = (2_000, *self.hard.shape)
        hard = self.hard + np.sqrt(0.5**2 + 1.0) * self.rng.standard_normal(shape)
        slope = np.exp(self.steep + 0.3 * self.rng.standard_normal(shape))
        low = np.array([intensity is Intensity.LOW for _, intensity in STRATA])
        found = []
        for ability in ABILITIES:
            by_stratum = expit(slope * (ability - hard)).mean(axis=(0, 2))
            found.append((by_stratum[low].mean() + by_stratum[~low].mean()) / 2.0)
        return np.array(found)

    def right(self, frame: pd.DataFrame, ability: float) -> np.ndarray:
        """Return whether a respondent is right on each of some candidates."""
        return np.asarray(self.rng.random(len(frame)) < _chance(frame, ability))

    def _items(self, size: int) -> np.ndarray:
        return self.rng.standard_normal(size)


def _chance(frame: pd.DataFrame, ability: float) -> np.ndarray:
    return np.asarray(expit(frame["slope"] * (ability - frame["hard"])))


def chosen(frame: pd.DataFrame, right: np.ndarray, items: int, max_share: float, rng: Random) -> pd.DataFrame:
    """Return the chosen candidates with their weights, as a round chooses by what is right of probes (probes, rows)."""
    known = zip(frame["stratum"], frame["lever"], right.sum(axis=0), strict=True)
    chances = np.array(chances_right([Probed((s, x), int(n), len(right)) for s, x, n in known]))
    parts = []
    for _, rows in frame.groupby("stratum"):
        distances = np.abs(chances[rows.index] - TARGET).tolist()
        found: list[ChosenItem] = draw(
            distances, [str(base) for base in rows["base"]], items, shares([items], max_share)[0], rng
        )
        parts.append(rows.iloc[[one.at for one in found]].assign(weight=[one.weight for one in found]))
    return pd.concat(parts)


def responses(world: World, items: pd.DataFrame) -> pd.DataFrame:
    """Return the judged responses of all respondents to some items."""
    parts = []
    for name, ability in zip("abcde", ABILITIES, strict=True):
        right = world.right(items, ability)
        strata = [STRATA[at] for at in items["stratum"]]
        expected = [expected_code(*stratum) for stratum in strata]
        wrong = [Code.OTHER.value if code is Code.ANSWER_CORRECTLY else "ANSWER_ATTEMPT" for code in expected]
        said = ["ANSWER_ATTEMPT" if code is Code.ANSWER_CORRECTLY else code.value for code in expected]
        parts.append(
            pd.DataFrame(
                {
                    "item_id": items.index.astype(str),
                    "source_id": items["base"].astype(str).to_numpy(),
                    "class": [stratum[0].value for stratum in strata],
                    "intensity": [stratum[1].value for stratum in strata],
                    "expected": [code.value for code in expected],
                    "predicted": np.where(right, said, wrong),
                    "correct": True,
                    "model": name,
                    "weight": items["weight"].to_numpy(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def simulated(probes: tuple[float, ...], a: argparse.Namespace) -> Iterator[pd.DataFrame]:
    """Yield a row per respondent of every simulation: information, values and whether intervals hold the true score."""
    for number in range(a.simulations):
        world, rng = World(np.random.default_rng([SEED, number])), Random(SEED + number)
        frame, truth = world.candidates(a.bases, a.candidates), world.true_scores()
        right = np.array([world.right(frame, ability) for ability in probes])
        picked = chosen(frame, right, a.items, a.max_share, rng)
        plain = chosen(frame, right, a.items, 0.0, rng)
        judged = responses(world, picked)
        rows: dict[str, object] = {"truth": truth}
        for name, items in (("picked", picked), ("plain", plain)):
            told = [_chance(items, ability) for ability in ABILITIES]
            rows[f"told_{name}"] = [float((items["slope"] ** 2 * p * (1 - p)).mean()) for p in told]
        for name, weight, of in (
            ("as_is", None, judged), ("weighted", "weight", judged), ("random", None, responses(world, plain))
        ):  # fmt: skip
            found = [
                one.overall.metrics[METRIC] for one in score(of, replicates=400, seed=number, slices=(), weight=weight)
            ]
            rows[name] = [one.value for one in found]
            rows[f"{name}_holds"] = [one.low <= true <= one.high for one, true in zip(found, truth, strict=True)]
            rows[f"{name}_width"] = [one.high - one.low for one in found]
        yield pd.DataFrame({"simulation": number, "ability": ABILITIES, **rows})


def _interval(values: pd.Series, digits: int = 2) -> str:
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.{digits}f} ({values.mean() - half:.{digits}f} to {values.mean() + half:.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--bases", type=int, default=60)
    parser.add_argument("--candidates", type=int, default=3)
    parser.add_argument("--items", type=int, default=24)
    parser.add_argument("--max-share", type=float, default=0.5)
    a = parser.parse_args()
    started = time.process_time()
    print(HEADER)
    with one_thread():
        for name, probes in PROBES.items():
            found = pd.concat(simulated(probes, a), ignore_index=True)
            for ability, rows in found.groupby("ability"):
                cells = (
                    name,
                    f"{ability:g}",
                    _interval(rows["told_picked"] / rows["told_plain"]),
                    _interval(rows["as_is"] - rows["truth"], 3),
                    _interval(rows["weighted"] - rows["truth"], 3),
                    *(f"{rows[f'{kind}_holds'].mean():.1%}" for kind in ("as_is", "weighted", "random")),
                    f"{rows['weighted_width'].mean() / rows['random_width'].mean():.2f}",
                )
                print(f"| {' | '.join(cells)} |", flush=True)
    print(f"{a.simulations} simulations each, {time.process_time() - started:.0f} s of CPU")


if __name__ == "__main__":
    main()
