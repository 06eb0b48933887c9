"""The page of a fit of rewards: weights with intervals, errors of each fit, rewards of completions by label."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from demur.engine.context import RoundContext
from demur.levers.policy_models import Policy
from demur.reports.cells import rows
from demur.reports.names import REWARD_PARTS, in_order, spoken
from demur.reports.pages.rendering import Ends, render
from demur.reports.tables import named_table
from demur.reports.texts import Row
from demur.rewards.base_rewards import base_rewards, with_base
from demur.rewards.fits import BehaviourFit, FileFit, by_behaviour, completions_of, fitted_weights
from demur.rewards.graded_files import GradedFile
from demur.scoring.bootstrap import FloatArray
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData, Evaluation
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# Results of reward fits for pages: weights with intervals, errors of each fit, rewards by label.


_PARTS: Final = ("train", "held_out")
_WEIGHTS: Final = ("policy", "behaviour", "feature", "kind", "value", "low", "high")
_FITS: Final = (
    "policy", "behaviour", "grader", "margin", "l2",
    *(f"{name}_error_{part}" for name in ("base_only", "rules_only", "pairwise") for part in _PARTS),
)  # fmt: skip
_REWARDS: Final = ("label", "behaviour", "policy", "reward", "part")
"""Columns that are read; an empty frame may lack them."""
_QUANTILES: Final = {"low": 0.0, "first": 0.25, "median": 0.5, "third": 0.75, "high": 1.0}


def behaviours(weights: pd.DataFrame, fits: pd.DataFrame, rewards: pd.DataFrame) -> list[Row]:
    """Return one row per policy and behaviour, in the order of `fits`.

    A row has these fields:

        policy, name    the names of policy and behaviour
        fit             the row of `fits`, or None
        errors          pairs: a part of the reward, and the pairwise errors of this part on train and held-out prompts;
                        without base rewards there is one part, and its name is empty
        weights, axis   the weights, and the ends of their axis
        boxes           pairs: a part of the reward, and the quantiles of this part by label
        box_axis        the ends of the axis of boxes
    """
    weights = _complete(weights, _WEIGHTS)
    fits = _complete(fits, _FITS)
    rewards = _complete(rewards, _REWARDS)
    keys = ["policy", "behaviour"]
    names = pd.concat([frame[keys] for frame in (fits, weights, rewards)]).dropna().drop_duplicates()
    return [
        _behaviour(*who, *(frame[(frame[keys] == list(who)).all(axis=1)] for frame in (weights, fits, rewards)))
        for who in names.itertuples(index=False, name=None)
    ]


def _complete(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Return a frame with all `columns`. Missing columns are filled with nulls."""
    return frame.reindex(columns=list(dict.fromkeys((*columns, *frame.columns))))


def _behaviour(policy: str, name: str, weights: pd.DataFrame, fits: pd.DataFrame, rewards: pd.DataFrame) -> Row:
    ordered = weights.sort_values(["kind", "value", "feature"], ascending=[True, False, True])
    fitted = rows(ordered)
    fit = next(iter(rows(fits)), None)
    graded = rewards.dropna(subset=["label", "reward"])
    return {
        "policy": policy,
        "name": name,
        "fit": fit,
        "errors": _errors(fit) if fit else [],
        "weights": [{**row, "settled": _settled(row)} for row in fitted if row["value"] is not None],
        "axis": _axis(row[end] for row in fitted for end in ("value", "low", "high") if row[end] is not None),
        "boxes": _boxes(graded),
        "box_axis": _axis(graded["reward"].astype(float)),
    }


def _settled(weight: Row) -> bool:
    """Return whether the weight's interval, rounded to two decimals, excludes 0."""
    low = weight["low"]
    high = weight["high"]
    return low is not None and high is not None and (round(low, 2) > 0 or round(high, 2) < 0)


def _errors(fit: Row) -> list[tuple[str, list[float | None]]]:
    by_part = {part: [fit[f"{part}_only_error_{on}"] for on in _PARTS] for part in ("base", "rules")}
    total = [fit[f"pairwise_error_{on}"] for on in _PARTS]
    if total == [None, None]:
        return []
    if by_part["base"] == [None, None]:
        return [("", total)]
    by_part["total"] = total
    return [(REWARD_PARTS[part], by_part[part]) for part in in_order(by_part, REWARD_PARTS)]


def _boxes(graded: pd.DataFrame) -> list[tuple[str, list[Row]]]:
    parts = graded["part"].astype(object).where(graded["part"].notna(), "rules").astype(str)
    return [(REWARD_PARTS.get(part, part), _boxes_of(graded[parts == part])) for part in in_order(parts, REWARD_PARTS)]


def _boxes_of(graded: pd.DataFrame) -> list[Row]:
    values = graded["reward"].astype(float).groupby(graded["label"].astype(str))
    found = [
        {
            "label": spoken(str(label)),
            "n": len(of),
            "mean": of.mean(),
            **{at: of.quantile(q) for at, q in _QUANTILES.items()},
        }
        for label, of in values
    ]
    return sorted(found, key=lambda box: (-box["mean"], box["label"]))


def _axis(numbers: Iterable[float]) -> Ends:
    """Return the ends of an axis for these numbers and 0, with a margin."""
    held = [0.0, *numbers]
    room = 0.04 * (max(held) - min(held)) or 1.0
    return min(held) - room, max(held) + room


# The page of a fit of rewards, and rewards of completions by label under the fitted weights.


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
