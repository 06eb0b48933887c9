"""Graded completions drawn with the structure of a shipped policy: its labels, faults, propositions and class tree.

A completion's propositions are meant to be what its label and sampled faults say; a grader sees them through noise on
the log-odds. Label noise swaps a completion's label for another of the behaviour. Base rewards are noise that leans
towards better labels.
"""

from functools import cache

import numpy as np

from demur.levers.policies import load_policy
from demur.levers.policy_models import Policy
from demur.scoring.reward_fitting.completion_classes import feature_matrix
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData

ODDS, ODDS_NOISE, LABEL_NOISE, LEAN = 2.0, 1.5, 0.1, 0.3

policy_named = cache(load_policy)


def sizes(completions: int, prompts: int) -> np.ndarray:
    """How many completions each prompt has: as even as it goes."""
    return np.full(prompts, completions // prompts) + (np.arange(prompts) < completions % prompts)


def simulate(policy_name: str, behaviour_name: str, per_prompt: np.ndarray, seed: int) -> ComparisonData:
    """Return completions of as many prompts as `per_prompt` has entries; labels take turns within a prompt."""
    policy: Policy = policy_named(policy_name)
    behaviour = policy.behaviour(behaviour_name)
    rng = np.random.default_rng(seed)
    kinds = [label for label in behaviour.labels for _ in range(label.variants)]
    prompts = np.repeat(np.arange(len(per_prompt)), per_prompt)
    place = np.arange(len(prompts)) - np.repeat(np.cumsum(per_prompt) - per_prompt, per_prompt)
    kind = place % len(kinds)
    truth = np.array([list(behaviour.truth(label).values()) for label in kinds])[kind]
    for fault_count in (1, 2):
        least = np.array([label.faults[0] if label.faults else 0 for label in kinds])[kind]
        most = np.array([label.faults[1] if label.faults else 0 for label in kinds])[kind]
        hit = (fault_count <= least) | ((fault_count <= most) & (rng.random(len(kind)) < 0.5))
        chosen = rng.integers(max(1, len(behaviour.faults)), size=len(kind))
        for number, fault in enumerate(behaviour.faults):
            rows = hit & (chosen == number)
            for name, value in fault.sets.items():
                truth[rows, behaviour.features.index(name)] = value
    odds = np.where(truth, ODDS, -ODDS) + rng.normal(0, ODDS_NOISE, truth.shape)
    features, names = feature_matrix(policy, behaviour_name, 1 / (1 + np.exp(-odds)))
    label_names = [label.name for label in behaviour.labels]
    label = np.array([label_names.index(label.name) for label in kinds])[kind]
    swapped = rng.random(len(label)) < LABEL_NOISE
    label = np.where(swapped, rng.integers(len(label_names), size=len(label)), label)
    base = rng.normal(size=len(label)) - LEAN * label
    return ComparisonData.of(names, features, prompts, np.array(label_names)[label], base)
