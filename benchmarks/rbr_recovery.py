"""How often the 95 % intervals of fitted weights hold the truth, over simulations whose seeds are fixed beforehand.

    python benchmarks/rbr_recovery.py [--simulations 2000] [--behaviour hard_refusal] [--prompts 200] [--processes 2]

Each simulation draws fresh prompts with label noise and fits weights with the cluster bootstrap that users get. The
truth of a weight is the optimum of the same penalised objective on a very large simulated sample, with class weights
centred. Coverage over R simulations has itself a binomial interval (Wilson), shown beside it.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from simulated_completions import policy_named, simulate

from demur.scoring.reward_fitting.weights import FitOptions, fit, reward_of

POLICY, L2, MARGIN, REFITS = "safety", 0.01, 1.0, 200
TRUTH_PROMPTS, TRUTH_SEED, SEED, HELD_OUT_SEED = 40_000, 20_261_140, 30_000_000, 60_000_000


def per_prompt(behaviour: str, prompts: int) -> np.ndarray:
    """Completions as they are written: every label's variants once for each prompt."""
    return np.full(prompts, sum(label.variants for label in policy_named(POLICY).behaviour(behaviour).labels))


def one(behaviour: str, prompts: int, number: int) -> tuple[np.ndarray, float, float]:
    """Return value, low and high of every weight, and the pairwise errors of fit and base rewards on fresh prompts."""
    reward = reward_of(policy_named(POLICY), behaviour, signed=False)
    found = fit(
        simulate(POLICY, behaviour, per_prompt(behaviour, prompts), SEED + number),
        reward,
        FitOptions(L2, MARGIN, REFITS, number),
        simulate(POLICY, behaviour, per_prompt(behaviour, prompts), HELD_OUT_SEED + number),
    )
    assert found.held_out is not None
    values = np.array([[w.value, w.low, w.high] for w in found.weights], dtype=float)
    return values, found.held_out.total.pairwise_error or 0.0, found.held_out.base_only.pairwise_error or 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=2_000)
    parser.add_argument("--behaviour", default="hard_refusal")
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--processes", type=int, default=2)
    a = parser.parse_args()
    reward = reward_of(policy_named(POLICY), a.behaviour, signed=False)
    population = simulate(POLICY, a.behaviour, per_prompt(a.behaviour, TRUTH_PROMPTS), TRUTH_SEED)
    truth = fit(population, reward, FitOptions(L2, MARGIN, 0, 0))
    started = time.perf_counter()
    with ProcessPoolExecutor(a.processes) as pool:
        results = list(pool.map(partial(one, a.behaviour, a.prompts), range(a.simulations), chunksize=5))
    seconds = time.perf_counter() - started
    values = np.array([value for value, _, _ in results])
    held = (values[:, :, 1] <= truth.values) & (truth.values <= values[:, :, 2])
    limits = [binomtest(int(count), a.simulations).proportion_ci(method="wilson") for count in held.sum(axis=0)]
    table = pd.DataFrame(
        {
            "weight": [weight.feature for weight in truth.weights],
            "truth": truth.values.round(3),
            "mean estimate": values[:, :, 0].mean(axis=0).round(3),
            "spread": values[:, :, 0].std(axis=0).round(3),
            "coverage %": (100 * held.mean(axis=0)).round(2),
            "from": [round(100 * limit.low, 2) for limit in limits],
            "to": [round(100 * limit.high, 2) for limit in limits],
        }
    )
    print(f"{a.behaviour}: {a.simulations} simulations of {a.prompts} prompts, {REFITS} refits each, {seconds:.0f} s\n")
    print("| " + " | ".join(table.columns) + " |")
    print("|" + " --- |" * len(table.columns))
    for row in table.itertuples(index=False):
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    errors, base = (np.array([result[at] for result in results]) for at in (1, 2))
    print(f"\nmean coverage {100 * held.mean():.2f} % (aim: 93 to 97)")
    print(f"pairwise error on held-out prompts: mean {errors.mean():.4f}, spread {errors.std():.4f}; ", end="")
    print(f"base rewards alone {base.mean():.4f}")


if __name__ == "__main__":
    main()
