"""The page of a fit of rewards, and rewards of completions by label under the fitted weights."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from demur.engine.context import RoundContext
from demur.levers.policy_models import Policy
from demur.reports.cells import rows
from demur.reports.pages.rendering import render
from demur.reports.reward_results import behaviours
from demur.reports.tables import named_table
from demur.rewards.base_rewards import base_rewards, with_base
from demur.rewards.fits import BehaviourFit, FileFit, by_behaviour, completions_of, fitted_weights
from demur.rewards.graded_files import GradedFile
from demur.scoring.bootstrap import FloatArray
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData, Evaluation
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# Rewards of completions under the fitted weights, by label, for the report.


def completion_rewards(context: RoundContext, con: Connection) -> pd.DataFrame:
    """Return one row per graded completion and part of its reward.

    The columns are policy, behaviour, label, part and reward. The mean reward of each prompt is subtracted, since only
    differences within a prompt were fitted. The parts are `rules`, and with base rewards also `base` and `total`.
    """
    weights = fitted_weights(con, context.round_id)
    known = {policy.name: policy for policy in context.policies}
    frames = [pd.DataFrame(columns=["policy", "behaviour", "label", "part", "reward"])]
    base = base_rewards(context, con)
    for (name, behaviour), graded in by_behaviour(records(con, "graded_completions", [context.round_id])).items():
        fitted = weights.get((name, behaviour))
        if fitted and name in known:
            based = with_base(context, base, f"completions of {name}", "completion_id", graded)
            completions = completions_of(known[name], behaviour, based)
            rules = completions.features @ np.array([fitted.get(each, 0.0) for each in completions.feature_names])
            parts = reward_parts(completions, rules, bool(completions.base.any()))
            frames.append(parts.assign(policy=name, behaviour=behaviour))
    return pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]


def reward_parts(completions: ComparisonData, rules: FloatArray, has_base: bool) -> pd.DataFrame:
    """Return one row per completion and part of its reward, less the mean of the prompt.

    The columns are label, part and reward.
    """
    parts = {"rules": rules}
    if has_base:
        parts |= {"base": completions.base, "total": completions.base + rules}
    return pd.concat(
        [
            pd.DataFrame({"label": completions.labels, "part": part, "reward": _centred(completions, values)})
            for part, values in parts.items()
        ]
    )


def _centred(completions: ComparisonData, values: FloatArray) -> FloatArray:
    count = np.bincount(completions.prompts)
    mean = np.bincount(completions.prompts, weights=values) / np.maximum(count, 1)
    return np.asarray(values - mean[completions.prompts])


# The page of `demur rbr fit --report`: the fitted weights and their performance.


def fit_page(graded: GradedFile, policy: Policy, how: FileFit, found: Mapping[str, BehaviourFit]) -> str:
    """Return the HTML page of a file's fits: for each behaviour the weights, the errors and the rewards by label."""
    weights = [
        (policy.name, name, w.feature, _kind(policy, name, w.feature), w.value, w.low, w.high)
        for name, each in found.items()
        for w in each.fit.weights
    ]
    rewards = pd.concat([part for name, each in found.items() for part in _rewards(graded, policy, name, each)])
    return render_fitted(
        title=f"Reward weights of {graded.path.name}",
        facts=_facts(graded, policy, how, found),
        notes=[f"{name}: {note}" for name, each in found.items() for note in each.notes],
        weights=pd.DataFrame(weights, columns=["policy", "behaviour", "feature", "kind", "value", "low", "high"]),
        fits=pd.DataFrame([_fit(graded, policy, how, name, each) for name, each in found.items()]),
        rewards=rewards,
    )


def render_fitted(
    title: str,
    facts: Sequence[tuple[str, str]],
    notes: Sequence[str],
    *,
    weights: pd.DataFrame,
    fits: pd.DataFrame,
    rewards: pd.DataFrame,
) -> str:
    """Return the self-contained HTML page of a fit. `weights`, `fits` and `rewards` may be empty."""
    return render(
        "fitted",
        title=title,
        facts=facts,
        notes=notes,
        fits=named_table("fits").shown(rows(fits)),
        behaviours=behaviours(weights, fits, rewards),
    )


def _kind(policy: Policy, behaviour: str, feature: str) -> str:
    if feature in policy.classes:
        return "class"
    return "proposition" if feature in policy.feature_names(behaviour) else "other"


def _facts(
    graded: GradedFile, policy: Policy, how: FileFit, found: Mapping[str, BehaviourFit]
) -> tuple[tuple[str, str], ...]:
    held_out = dict.fromkeys(each.unseen.how for each in found.values() if each.unseen)
    return (
        ("Policy", f"{policy.name}, version {policy.version}"),
        ("SHA-256 of the file", graded.sha256),
        *((f"Margin of {better} over {worse}", f"{asked:g}") for (better, worse), asked in how.margins.items()),
        ("Held out", "; ".join(held_out) or "nothing"),
        ("Intervals", f"95 %, {how.bootstrap} refits to resampled prompts" if how.bootstrap else "none"),
        ("Signs", "no fault of the policy earns reward" if how.signed else "free"),
        ("Seed", str(how.seed)),
    )


def _fit(graded: GradedFile, policy: Policy, how: FileFit, name: str, each: BehaviourFit) -> dict[str, object]:
    measured = {"train": each.fit.train, "held_out": each.unseen.evaluation if each.unseen else None}
    return {
        "policy": policy.name,
        "behaviour": name,
        "grader": None,
        "margin": how.margin,
        "l2": each.fit.l2,
        "objective": each.fit.objective,
        "relative_gap": each.fit.gap,
        "prompts_held_out": 0,
        **{
            f"{figure}_{part}": value
            for part, found in measured.items()
            if found is not None
            for figure, value in figures_of(found, graded.has_base[name]).items()
        },
    }


def figures_of(found: Evaluation, has_base: bool) -> dict[str, object]:
    """Return the figures of a fit on some prompts: counts, hinge loss, and shares in [0, 1].

    An undefined figure is None.
    """
    return {
        "prompts": found.prompts,
        "pairs": found.pairs,
        "hinge_loss": found.hinge_loss,
        "pairwise_error": found.total.pairwise_error,
        "ideal_first": found.total.ideal_first,
        "base_only_error": found.base_only.pairwise_error if has_base else None,
        "rules_only_error": found.rules_only.pairwise_error if has_base else None,
    }


def _rewards(graded: GradedFile, policy: Policy, name: str, each: BehaviourFit) -> Iterator[pd.DataFrame]:
    """Yield the rewards of the completions in the fit, then the rewards of held-out completions.

    In cross-validation every completion is in both frames. The second frame then has no base rewards.
    """
    has_base = graded.has_base[name]
    train = reward_parts(each.train, each.train.features @ each.fit.values, has_base)
    yield train.assign(policy=policy.name, behaviour=name)
    if each.unseen is not None:
        unseen = reward_parts(each.unseen.completions, each.unseen.rules, has_base)
        if each.unseen.completions is each.train:
            unseen = unseen[unseen["part"] != "base"]
        yield unseen.assign(policy=policy.name, behaviour=name, part=unseen["part"] + "_held_out")
