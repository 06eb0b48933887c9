"""Rewards of completions under the fitted weights, by label, for the report."""

import numpy as np
import pandas as pd

from demur.engine.context import RoundContext
from demur.rewards.base_rewards import base_rewards, with_base
from demur.rewards.fitting import by_behaviour, completions_of, fitted_weights
from demur.scoring.bootstrap import FloatArray
from demur.scoring.comparisons import ComparisonData
from demur.warehouse.connection import Connection
from demur.warehouse.records import records


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
