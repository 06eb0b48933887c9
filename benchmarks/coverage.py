"""How often the 95 % intervals hold the planted value: 2,000 simulated rounds per respondent, seeds fixed beforehand.

    python benchmarks/coverage.py [--rounds 2000] [--sources 100] [--items-per-source 16] [--processes 2]

A round draws fresh source questions; every metric of every round is scored with clustered intervals (percentile and
BCa) and with the plain bootstrap, which takes the perturbations of one question for independent. A coverage over R
rounds has itself a binomial interval (Wilson), shown beside it.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from simulated_respondents import Respondent, planted, simulate

from demur.scoring.refusal import score

SEED = 20_261_100
REPLICATES = 1_000
RESPONDENTS = (
    Respondent("cautious, one document", 0.45, 0.08, 0.55, 0.85, 0.02, 0.2),
    Respondent(
        "bold, several documents",
        0.15,
        0.35,
        0.45,
        0.0,
        0.02,
        0.2,
        sure=(0.9, 0.7),
        eligible=0.93,
        supported_all=0.85,
        supported_relevant=0.8,
    ),
)


def held(respondent: Respondent, sources: int, items_per_source: int, number: int) -> list[dict[str, object]]:
    """Score one round twice; return per metric whether each kind of interval holds the planted value."""
    frame = simulate(respondent, sources, items_per_source, SEED + number)
    truth = planted(respondent)
    (clustered,) = score(frame, replicates=REPLICATES, seed=number, slices=())
    (plain,) = score(frame, replicates=REPLICATES, seed=number, slices=(), cluster="item_id")
    rows: list[dict[str, object]] = []
    for name, value in truth.items():
        ours, theirs = clustered.metrics[name], plain.metrics[name]
        rows.append(
            {
                "metric": name,
                "planted": value,
                "estimate": ours.value,
                "percentile": ours.low <= value <= ours.high,
                "bca": ours.bca_low <= value <= ours.bca_high,
                "plain": theirs.low <= value <= theirs.high,
                "width": ours.high - ours.low,
                "plain_width": theirs.high - theirs.low,
            }
        )
    return rows


def table(rows: pd.DataFrame, rounds: int) -> pd.DataFrame:
    """Return coverage in percent per metric, with the binomial interval of the percentile one."""
    found = rows.groupby("metric", sort=False).mean()
    limits = [binomtest(round(share * rounds), rounds).proportion_ci(method="wilson") for share in found["percentile"]]
    return pd.DataFrame(
        {
            "planted": found["planted"].round(4),
            "mean estimate": found["estimate"].round(4),
            "percentile %": (100 * found["percentile"]).round(2),
            "from": [round(100 * limit.low, 2) for limit in limits],
            "to": [round(100 * limit.high, 2) for limit in limits],
            "BCa %": (100 * found["bca"]).round(2),
            "plain %": (100 * found["plain"]).round(2),
            "width / plain width": (found["width"] / found["plain_width"]).round(2),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--sources", type=int, default=100)
    parser.add_argument("--items-per-source", type=int, default=16)
    parser.add_argument("--processes", type=int, default=1)
    a = parser.parse_args()
    with ProcessPoolExecutor(a.processes) as pool:
        for respondent in RESPONDENTS:
            started = time.perf_counter()
            one_round = partial(held, respondent, a.sources, a.items_per_source)
            rows = [row for part in pool.map(one_round, range(a.rounds), chunksize=20) for row in part]
            result = table(pd.DataFrame(rows), a.rounds)
            seconds = time.perf_counter() - started
            print(
                f"\n{respondent.name}: {a.rounds} rounds of {a.sources} x {a.items_per_source} items, {seconds:.0f} s"
            )
            print(result.to_string())
            means = result[["percentile %", "BCa %", "plain %"]].mean()
            print("mean over metrics:", ", ".join(f"{name} {np.round(value, 2)}" for name, value in means.items()))


if __name__ == "__main__":
    main()
