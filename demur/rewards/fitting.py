"""Fits of reward weights for one behaviour of a round, from graded completions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np

from demur.configuration.fit import CHOOSE
from demur.engine.progress import observer
from demur.levers.policy_models import Policy
from demur.scoring.classes import feature_matrix, proposition_matrix
from demur.scoring.comparisons import ComparisonData
from demur.scoring.l2_choice import choose_l2
from demur.scoring.ranking import split_prompts
from demur.scoring.weights import Fit, FitOptions, fit, reward_of
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

Graded: TypeAlias = Sequence[Mapping[str, Any]]
L2_FOLDS: Final = 5
"""Number of folds for the choice of a penalty."""
ONE_PROMPT: Final = "nothing is held out, and weights have no intervals: there is one prompt only"
"""Message about a fit to the completions of one prompt."""


def by_behaviour(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return rows grouped by policy and behaviour, in order of first appearance."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((str(row["policy"]), str(row["behaviour"])), []).append(row)
    return found


def fitted_weights(con: Connection, round_id: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return the weights of a round. The outer keys are (policy, behaviour), the inner keys are features."""
    grouped = by_behaviour(records(con, "fitted_weights", [round_id]))
    return {key: {row["feature"]: row["value"] for row in rows} for key, rows in grouped.items()}


def fit_behaviour(policy: Policy, inputs: Mapping[str, Any]) -> Fit:
    """Return the fit of one behaviour. `inputs` are a unit's inputs in the stage fit.

    Raises:
        ScoringError: the completions cannot be fitted.
    """
    behaviour = inputs["behaviour"]
    options = inputs["options"]
    graded: Graded = inputs["completions"]
    train, held_out = _split(graded, options["held_out"], inputs["seed"])
    if not held_out:
        observer().notice(f"fit: {policy.name}, {behaviour}: {ONE_PROMPT}")
    completions = completions_of(policy, behaviour, train)
    reward = reward_of(policy, behaviour, signed=options.get("signs", False))
    chosen = options["l2"] == CHOOSE
    how = FitOptions(1.0 if chosen else options["l2"], options["margin"], options["bootstrap"], inputs["seed"] % 2**32)
    if chosen:
        folds = min(L2_FOLDS, len(completions.prompt_ids))
        choice = choose_l2(completions, reward, how, folds)
        if choice.remark:
            observer().notice(f"fit: {policy.name}, {behaviour}: {choice.remark}")
        how = replace(how, l2=choice.l2)
    return fit(completions, reward, how, completions_of(policy, behaviour, held_out) if held_out else None)


def _split(graded: Graded, share: float, seed: int) -> tuple[Graded, Graded]:
    """Return completions of training prompts and of held-out prompts.

    If there is only one prompt, no prompt is held out.
    """
    prompts = sorted({str(row["prompt_id"]) for row in graded})
    if len(prompts) < 2:
        return graded, []
    parts = split_prompts(len(prompts), [1 - share, share], seed)
    part_of = dict(zip(prompts, parts, strict=True))
    train, held_out = ([row for row in graded if part_of[str(row["prompt_id"])] == part] for part in (0, 1))
    return train, held_out


def completions_of(policy: Policy, behaviour: str, graded: Graded) -> ComparisonData:
    """Return graded completions of a behaviour with features and base rewards. A missing base reward is 0."""
    phi = proposition_matrix(policy.behaviour(behaviour), [row["grades"] for row in graded])
    facts: dict[str, list[bool]] = defaultdict(list)
    for row in graded:
        for fact in row["facts"]:
            facts[fact["fact"]].append(fact["holds"])
    features, names = feature_matrix(policy, behaviour, phi, {name: np.array(held) for name, held in facts.items()})
    prompts = [row["prompt_id"] for row in graded]
    labels = [row["label"] for row in graded]
    return ComparisonData.of(names, features, prompts, labels, [row.get("base_reward", 0.0) for row in graded])
