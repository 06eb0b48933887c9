"""Reward files: fitted weights, and all data to score graded completions without an installation of demur.

Equal results give equal files, since a file contains no time, path or round. The module
`scoring.standalone.demur_reward`, which releases include, reads the files.
"""

import json
from collections.abc import Mapping
from typing import Final

import numpy as np

from demur.engine.context import RoundContext
from demur.errors import FlowError
from demur.levers.policy_models import Behaviour, Policy
from demur.rewards.fits import BehaviourFit, FileFit, by_behaviour, completions_of
from demur.rewards.graded_files import GradedFile
from demur.scoring.reward_fitting.completion_classes import class_tree
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData
from demur.scoring.standalone import demur_reward, reply_text, standalone_source
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = "rewards"
LOADER: Final = f"{FOLDER}/demur_reward.py"


def reward_files(context: RoundContext, con: Connection) -> dict[str, str]:
    """Return the text of a reward file for each fitted policy of the round. The keys are paths within a release."""
    names = ("release_weights", "release_fits", "graded_completions")
    weights, fits, graded = (by_behaviour(records(con, name, [context.round_id])) for name in names)
    found = {}
    for policy in context.policies:
        fitted = [b for b in policy.behaviours if (policy.name, b.name) in weights]
        if not fitted:
            continue
        behaviours = {}
        for behaviour in fitted:
            key = (policy.name, behaviour.name)
            [fit] = fits[key]
            limits = {row["feature"]: (row["value"], row["low"], row["high"]) for row in weights[key]}
            facts = {name: value for name, value in fit.items() if name not in ("policy", "behaviour", "grader")}
            completions = completions_of(policy, behaviour.name, graded[key])
            behaviours[behaviour.name] = _fitted(policy, behaviour, limits, completions, facts)
        graders = {fits[policy.name, b.name][0]["grader"] for b in fitted}
        named = context.config.roles.named()
        models = {"grader": sorted(graders)} | {role: [*named[role]] for role in ("writer", "rater") if role in named}
        path = f"{FOLDER}/{policy.name}@{policy.version}.json"
        found[path] = reward_file_text(policy, behaviours, _provenance(context, policy, models))
    return found


def fitted_reward_file(graded: GradedFile, policy: Policy, how: FileFit, found: Mapping[str, BehaviourFit]) -> str:
    """Return the text of a reward file for weights that were fitted to a file of graded completions.

    Raises:
        FlowError: the features of a behaviour differ from the policy's features.
    """
    behaviours = {}
    for name, each in found.items():
        names = policy.feature_names(name)
        values = {weight.feature: weight for weight in each.fit.weights}
        if set(values) != set(names):
            odd = ", ".join(sorted(set(values) ^ set(names)))
            raise FlowError(
                f"{graded.path}: behaviour '{name}' has other features than policy '{policy.name}' ({odd}), so no "
                "reward can be written. Leave --reward out, or name the policy with --policy"
            )
        limits = {feature: (weight.value, weight.low, weight.high) for feature, weight in values.items()}
        facts = {"margin": how.margin, "l2": each.fit.l2, "objective": each.fit.objective, "relative_gap": each.fit.gap}
        behaviours[name] = _fitted(policy, policy.behaviour(name), limits, graded.completions[name], facts)
    return reward_file_text(
        policy, behaviours, {"policy_fingerprint": policy.fingerprint, "graded_sha256": graded.sha256}
    )


def loader_text() -> str:
    """Return the source of `scoring.standalone.demur_reward`, the loader of reward files."""
    return standalone_source(reply_text, demur_reward)


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


def _described(behaviour: Behaviour) -> dict[str, object]:
    """Return a behaviour's description, features, classes and demands on propositions (`statuses`).

    Classes that exclude each other form a decision tree (`tree`). Other classes are products of probabilities
    (`products`).
    """
    return {
        "description": behaviour.description,
        "features": list(behaviour.features),
        "statuses": {name: behaviour.statuses[name].value for name in behaviour.features},
        "tree": class_tree(behaviour.classes) if behaviour.is_partition else None,
        "products": {name: dict(states) for name, states in behaviour.products.items()},
    }


def _fitted(
    policy: Policy,
    behaviour: Behaviour,
    limits: Mapping[str, tuple[float, float | None, float | None]],
    completions: ComparisonData,
    fit: Mapping[str, object],
) -> dict[str, object]:
    """Return a behaviour with weights, intervals, and mean and standard deviation of its rewards.

    `limits` has weight, lower limit and upper limit of each feature.
    """
    names = policy.feature_names(behaviour.name)
    rewards = completions.features @ np.array([limits[feature][0] for feature in completions.feature_names])
    return {
        **_described(behaviour),
        "weights": {name: limits[name][0] for name in names},
        "intervals": {name: list(limits[name][1:]) for name in names},
        "scaling": {
            "mean": round(float(rewards.mean()), 9),
            "standard_deviation": round(float(rewards.std()), 9),
            "completions": len(rewards),
        },
        "fit": fit,
    }


def _provenance(context: RoundContext, policy: Policy, models: Mapping[str, list[str]]) -> dict[str, object]:
    """Return the policy's fingerprint, and for each role the descriptions of its models."""
    described = {}
    for role, names in models.items():
        described[role] = [
            {"name": spec.name, "provider": spec.provider, "model": spec.model, "fingerprint": spec.fingerprint}
            for spec in context.specs(tuple(names))
        ]
    return {"policy_fingerprint": policy.fingerprint, **described}
