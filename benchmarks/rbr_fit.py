"""Fitting reward weights, beside a plain re-implementation of the public fitter, on the same pairs in one run.

    python benchmarks/rbr_fit.py [--repeats 3] [--large 100000]

Size of the public example: 349 prompts, 5,892 completions, per behaviour of the policy `safety` (18 to 23 features),
with base rewards. The public fitter looks at all n^2 pairs of completions in Python and takes 1,000 full-batch steps of
AdamW (rate .01, decoupled decay .05). It is written here in NumPy, fits all pairs, as ours does, and starts at zero. A
second timing spares it the n^2 and looks within prompts only; the weights are the same. They are then evaluated in our
objective at each penalty, of which ours are the optimum. Decay is not quite a penalty: "at this l2" is what the same
steps reach with each penalty itself in the gradient, and no decay. All keep BLAS to one thread, faster for all,
and are timed by the CPU that they take. The large fit has a process of its own, whose peak memory is shown.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from simulated_completions import policy_named, simulate, sizes

from demur.scoring.reward_fitting.ordered_pairs import ComparisonData, Order, pairs_of
from demur.scoring.reward_fitting.weights import (
    Fit,
    FitOptions,
    HingeProblem,
    fit,
    hinge_problem,
    one_thread,
    reward_of,
)

Result = TypeVar("Result")
POLICY, PROMPTS, COMPLETIONS, SEED = "safety", 349, 5_892, 20_261_130
PENALTIES = (0.05, 0.01, 0.001)
STEPS, RATE, DECAY, MARGIN = 1_000, 0.01, 0.05, 1.0


def plain_fit(
    completions: ComparisonData, order: Order, within_prompts: bool, l2: float = 0.0, decay: float = DECAY
) -> np.ndarray:
    """Return the weights of the public algorithm; `within_prompts` looks at fewer pairs and finds the same.

    `l2` adds the gradient of our penalty.
    """
    features, base = completions.features.tolist(), completions.base.tolist()
    labels, prompts = completions.labels.tolist(), completions.prompts.tolist()
    every = range(len(labels))
    groups: dict[int, list[int]] = {}
    for row in every:
        groups.setdefault(prompts[row], []).append(row)
    apart, ahead = [], []
    for a in every:
        for b in groups[prompts[a]] if within_prompts else every:
            if prompts[a] == prompts[b] and (labels[a], labels[b]) in order:
                apart.append([x - y for x, y in zip(features[a], features[b], strict=True)])
                ahead.append(base[a] - base[b])
    x, r = np.array(apart), np.array(ahead)
    weights, first, second = np.zeros(x.shape[1]), np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for step in range(1, STEPS + 1):
        short = MARGIN - r - x @ weights > 0
        slope = -(short @ x) / len(x) + l2 * weights
        weights *= 1 - RATE * decay
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def ours(completions: ComparisonData, behaviour: str, l2: float) -> Fit:
    reward = reward_of(policy_named(POLICY), behaviour, signed=False)
    return fit(completions, reward, FitOptions(l2=l2, margin=MARGIN, replicates=0, seed=0))


def problem_at(completions: ComparisonData, behaviour: str, l2: float) -> HingeProblem:
    reward = reward_of(policy_named(POLICY), behaviour, signed=False)
    return hinge_problem(completions, pairs_of(completions, reward.order, MARGIN), reward, l2)


def large(completions_count: int, behaviour: str) -> tuple[int, float, float, float]:
    """Return pairs, seconds, relative gap and peak memory in MB of one large fit."""
    completions = simulate(
        POLICY, behaviour, sizes(completions_count, completions_count * PROMPTS // COMPLETIONS), SEED
    )
    started = time.perf_counter()
    found = ours(completions, behaviour, 0.01)
    seconds = time.perf_counter() - started
    return found.train.pairs, seconds, found.gap, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(work: Callable[[], Result], repeats: int) -> tuple[float, Result]:
    """Return the least CPU of some runs in seconds, and the last result."""
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        result = work()
        seconds.append(time.process_time() - started)
    return min(seconds), result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="timings of each; the best counts")
    parser.add_argument("--large", type=int, default=100_000, help="completions of the large fit")
    a = parser.parse_args()
    heads = ("behaviour", "features", "pairs", "l2", "ours, s", "public, s", "ratio", "within prompts, s", "ratio")
    print("| " + " | ".join((*heads, "objective", "of the public", "at this l2", "gap")) + " |")
    print("|" + " --- |" * (len(heads) + 4))
    for number, behaviour in enumerate(b.name for b in policy_named(POLICY).behaviours):
        completions = simulate(POLICY, behaviour, sizes(COMPLETIONS, PROMPTS), SEED + number)
        order = policy_named(POLICY).behaviour(behaviour).order
        with one_thread():
            public, peer = timed(lambda c=completions, o=order: plain_fit(c, o, False), a.repeats)
            spared, _ = timed(lambda c=completions, o=order: plain_fit(c, o, True), a.repeats)
        for l2 in PENALTIES:
            took, found = timed(lambda c=completions, b=behaviour, p=l2: ours(c, b, p), a.repeats)
            problem = problem_at(completions, behaviour, l2)
            with one_thread():
                penalised = problem.objective(plain_fit(completions, order, True, l2, 0.0))
            theirs = problem.objective(peer)
            assert found.objective <= min(theirs, penalised) * (1 + 1e-6), (behaviour, l2)
            print(
                f"| {behaviour} | {len(peer)} | {found.train.pairs:,} | {l2} | {took:.3f} | {public:.2f} | "
                f"{public / took:.0f} | {spared:.2f} | {spared / took:.0f} | {found.objective:.5f} | {theirs:.5f} | "
                f"{penalised:.5f} | {found.gap:.0e} |",
                flush=True,
            )
    print("\n| completions | behaviour | pairs | s | gap | peak memory, MB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for behaviour in (b.name for b in policy_named(POLICY).behaviours):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pairs, took, gap, peak = pool.apply(large, (a.large, behaviour))
        print(f"| {a.large:,} | {behaviour} | {pairs:,} | {took:.1f} | {gap:.0e} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
