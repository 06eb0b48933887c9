"""Reward files: fitted weights with all that is needed to score graded completions anywhere.

A file holds what results decide and nothing else (no time, no path, no round), so that a release with it stays
identified by its content. Reading one is the work of `scoring.demur_reward`, which lies beside the files of a release.
"""

import inspect
import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from demur.flows.engine.context import RoundContext
from demur.flows.errors import FlowError
from demur.flows.rewards.fitting import completions_of
from demur.flows.rewards.graded_file import GradedFile
from demur.flows.rewards.graded_fit import BehaviourFit, FileFit
from demur.levers.policies import Behaviour, Policy
from demur.scoring import demur_reward
from demur.scoring.class_tree import class_tree
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = "rewards"
LOADER: Final = f"{FOLDER}/demur_reward.py"

Rows = Mapping[tuple[str, str], list[dict[str, Any]]]
"""Rows by policy and behaviour."""


def reward_files(context: RoundContext, con: Connection) -> dict[str, str]:
    """Return the text of a reward file for every policy that the round fitted, by its path in a release."""
    weights = _by_behaviour(con, "release_weights", context.round_id)
    fits = _by_behaviour(con, "release_fits", context.round_id)
    graded = _by_behaviour(con, "graded_completions", context.round_id)
    found = {}
    for policy in context.policies:
        fitted = [b for b in policy.behaviours if (policy.name, b.name) in weights]
        if not fitted:
            continue
        behaviours = {}
        for behaviour in fitted:
            key = (policy.name, behaviour.name)
            [fit] = fits[key]
            behaviours[behaviour.name] = {
                **_described(policy, behaviour),
                **_weighted(policy, behaviour, weights[key], graded[key]),
                "fit": {name: value for name, value in fit.items() if name not in ("policy", "behaviour", "grader")},
            }
        graders = {fits[policy.name, b.name][0]["grader"] for b in fitted}
        models = {"grader": sorted(graders), "writer": [context.config.roles.writer]}
        path = f"{FOLDER}/{policy.name}@{policy.version}.json"
        found[path] = reward_file_text(policy, behaviours, _provenance(context, policy, models))
    return found


def fitted_reward_file(graded: GradedFile, policy: Policy, how: FileFit, found: Mapping[str, BehaviourFit]) -> str:
    """Return the text of a reward file with weights that were fitted to a file of graded completions.

    Raises:
        FlowError: the features of a behaviour are not those of the policy.
    """
    behaviours = {}
    for name, each in found.items():
        names = policy.feature_names(name)
        values = {weight.feature: weight for weight in each.fit.weights}
        if set(values) != set(names):
            odd = ", ".join(sorted(set(values) ^ set(names)))
            raise FlowError(
                f"{graded.path}: behaviour '{name}' has other features than policy '{policy.name}' ({odd}), so that no "
                "reward can be made of it. Leave --reward out, or name the policy with --policy"
            )
        completions = graded.completions[name]
        rewards = completions.features @ np.array([values[feature].value for feature in completions.feature_names])
        behaviours[name] = {
            **_described(policy, policy.behaviour(name)),
            "weights": {feature: values[feature].value for feature in names},
            "intervals": {feature: [values[feature].low, values[feature].high] for feature in names},
            "scaling": _scaling(rewards),
            "fit": {
                "margin": how.margin,
                "l2": each.fit.l2,
                "objective": each.fit.objective,
                "relative_gap": each.fit.gap,
            },
        }
    return reward_file_text(
        policy, behaviours, {"policy_fingerprint": policy.fingerprint, "graded_sha256": graded.sha256}
    )


def _scaling(rewards: NDArray[np.float64]) -> dict[str, float | int]:
    return {
        "mean": round(float(rewards.mean()), 9),
        "standard_deviation": round(float(rewards.std()), 9),
        "completions": len(rewards),
    }


def loader_text() -> str:
    """Return the source of the loader that reads reward files."""
    return inspect.getsource(demur_reward)


def reward_file_text(policy: Policy, behaviours: Mapping[str, object], provenance: Mapping[str, object]) -> str:
    """Return a reward file as text, with the checksum of its content."""
    content: dict[str, object] = {
        "format": demur_reward.FORMAT,
        "policy": policy.name,
        "version": policy.version,
        "description": policy.description,
        "classes": list(policy.classes),
        "facts": policy.default_facts,
        "propositions": {
            p.name: {"question": p.question, "definition": p.definition, "negative": p.negative}
            for p in policy.propositions
        },
        "behaviours": behaviours,
        "provenance": provenance,
    }
    content["checksum"] = demur_reward.reward_checksum(content)
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _described(policy: Policy, behaviour: Behaviour) -> dict[str, object]:
    """Return a behaviour as its policy describes it, its class rules as the tree that scores are made by."""
    tree = None
    if behaviour.is_partition:
        grown = class_tree(behaviour.classes)
        questions = [[q.variable, q.if_true, q.if_false] for q in grown.questions]
        tree = {"root": grown.root, "questions": questions}
    return {
        "description": behaviour.description,
        "features": list(behaviour.features),
        "statuses": {name: behaviour.statuses[name].value for name in behaviour.features},
        "tree": tree,
        "products": {name: dict(states) for name, states in behaviour.products.items()},
    }


def _weighted(
    policy: Policy, behaviour: Behaviour, weights: list[dict[str, Any]], graded: list[dict[str, Any]]
) -> dict[str, object]:
    """Return weights in the order of features, their intervals, and mean and deviation of the fitted rewards."""
    by_name = {row["feature"]: row for row in weights}
    names = policy.feature_names(behaviour.name)
    completions = completions_of(policy, behaviour.name, graded)
    rewards = completions.features @ np.array([by_name[name]["value"] for name in names])
    return {
        "weights": {name: by_name[name]["value"] for name in names},
        "intervals": {name: [by_name[name]["low"], by_name[name]["high"]] for name in names},
        "scaling": _scaling(rewards),
    }


def _provenance(context: RoundContext, policy: Policy, models: Mapping[str, list[str]]) -> dict[str, object]:
    """Return the policy's fingerprint, and the models by role."""
    described = {}
    for role, names in models.items():
        described[role] = [
            {"name": spec.name, "provider": spec.provider.value, "model": spec.model, "fingerprint": spec.fingerprint}
            for spec in context.specs(tuple(names))
        ]
    return {"policy_fingerprint": policy.fingerprint, **described}


def _by_behaviour(con: Connection, statement: str, round_id: str) -> Rows:
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in records(con, statement, [round_id]):
        found[row["policy"], row["behaviour"]].append(row)
    return found
