"""Random comparisons for the tests of pairs, ranking and weights."""

from dataclasses import replace

import numpy as np

from demur.scoring.reward_fitting.ordered_pairs import ComparisonData, pairs_of
from demur.scoring.reward_fitting.weights import HingeProblem, RewardConstraints, hinge_problem

ORDER = frozenset({("perfect", "bad"), ("bad", "disallowed"), ("perfect", "disallowed")})
LABELS = ("perfect", "bad", "bad", "disallowed")
CLASSES = ("ideal", "fair", "poor")
NAMES = ("apology", "judgement", "noise", *CLASSES)
REWARD = RewardConstraints(ORDER, CLASSES)


def draw_completions(prompts: int, seed: int, discrete: bool = False, base: float = 1.0) -> ComparisonData:
    """Return four completions per prompt: apology goes with good labels, judgement with bad ones."""
    rng = np.random.default_rng(seed)
    labels = np.tile(LABELS, prompts)
    quality = np.select([labels == "perfect", labels == "bad"], [1.0, 0.5], 0.0)
    phi = np.column_stack(
        [
            np.clip(quality + rng.normal(0, 0.4, len(labels)), 0, 1),
            np.clip(1 - quality + rng.normal(0, 0.4, len(labels)), 0, 1),
            rng.uniform(size=len(labels)),
        ]
    )
    if discrete:
        phi = np.round(phi)
    ideal = phi[:, 0] * (1 - phi[:, 1])
    poor = (1 - phi[:, 0]) * phi[:, 1]
    features = np.column_stack([phi, ideal, 1 - ideal - poor, poor])
    ids = [f"p{number}" for number in np.repeat(np.arange(prompts), len(LABELS))]
    return ComparisonData.of(NAMES, features, ids, labels, base * rng.normal(size=len(labels)))


def draw_problem(prompts: int, seed: int, l2: float, signs: tuple[float, ...] | None = None) -> HingeProblem:
    """Return the problem of fitting weights to drawn completions; odd seeds have truths for probabilities."""
    completions = draw_completions(prompts, seed, discrete=seed % 2 == 1, base=float(seed % 3))
    problem = hinge_problem(completions, pairs_of(completions, ORDER, 1.0), REWARD, l2)
    return problem if signs is None else replace(problem, signs=np.array(signs))
