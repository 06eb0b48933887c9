"""Fits of reward weights, from the graded completions of a round or of a file."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from demur.configuration.sections import CHOOSE
from demur.engine.logs import observer
from demur.errors import FlowError
from demur.levers.policy_models import Policy
from demur.rewards.graded_files import GradedFile, check_labels
from demur.scoring import ScoringError
from demur.scoring.reward_fitting.completion_classes import feature_matrix, proposition_matrix
from demur.scoring.reward_fitting.cross_validation import L2Choice, choose_l2, cross_validate
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData, Evaluation, split_prompts
from demur.scoring.reward_fitting.weights import SUM_TOLERANCE, Fit, FitOptions, RewardConstraints, fit, reward_of
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# Fits of reward weights for one behaviour of a round, from graded completions.


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
    train, held_out = _split_grades(graded, options["held_out"], inputs["seed"])
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


def _split_grades(graded: Graded, share: float, seed: int) -> tuple[Graded, Graded]:
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


# Fits of weights to files of graded completions, one per behaviour, and their performance on held-out prompts.


FOLDS: Final = 5


@dataclass(frozen=True, slots=True)
class FileFit:
    """Settings of a fit.

    If `l2` is None, cross-validation chooses the penalty. `held_out` is the share of held-out prompts. If `held_out` is
    None, weights are fitted to all prompts, and cross-validation measures the performance. If `signed` is true, the
    weight of a fault cannot be positive. `margins` maps pairs (better label, worse label) to margins that replace
    `margin`. `bootstrap` is the number of bootstrap replicates.
    """

    l2: float | None
    margin: float
    bootstrap: int
    seed: int
    held_out: float | None = None
    signed: bool = False
    margins: Mapping[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unseen:
    """Performance of a fit on held-out prompts.

    `how` describes in words which prompts were held out. `rules` has for each completion the sum of weights times
    features, without the base reward. `gap` is the relative duality gap of the fit, or the largest gap among the fits
    of a cross-validation.
    """

    how: str
    objective: float | None
    gap: float
    evaluation: Evaluation
    completions: ComparisonData
    rules: NDArray[np.float64]
    prompt_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BehaviourFit:
    """The fit of one behaviour. `notes` are messages for the user. `unseen` is None if no prompts could be held out."""

    fit: Fit
    train: ComparisonData
    unseen: Unseen | None
    tried: L2Choice | None
    notes: tuple[str, ...]


def fit_file(graded: GradedFile, policy: Policy, how: FileFit) -> dict[str, BehaviourFit]:
    """Return the fits of all behaviours of a file. The keys are behaviours.

    Raises:
        FlowError: a label or margin is unknown, or a behaviour cannot be fitted.
    """
    orders = {pair for name in graded.completions for pair in policy.behaviour(name).order}
    if strangers := [" > ".join(pair) for pair in how.margins if pair not in orders]:
        raise FlowError(
            f"{graded.path}: margins are given for {', '.join(strangers)}, but policy '{policy.name}' orders only "
            f"{', '.join(sorted(' > '.join(pair) for pair in orders))} for these behaviours"
        )
    found = {}
    for behaviour, completions in graded.completions.items():
        check_labels(graded, policy, behaviour)
        try:
            found[behaviour] = _fitted(completions, policy, behaviour, how)
        except ScoringError as exc:
            raise FlowError(f"{graded.path}: behaviour '{behaviour}': {exc}") from exc
    return found


def _fitted(completions: ComparisonData, policy: Policy, behaviour: str, how: FileFit) -> BehaviourFit:
    reward, notes = _reward(completions, policy, behaviour, how.signed)
    options = FitOptions(1.0 if how.l2 is None else how.l2, how.margin, how.bootstrap, how.seed)
    options = replace(options, margins={pair: asked for pair, asked in how.margins.items() if pair in reward.order})
    train, rest = _split_completions(completions, how)
    tried = None
    if how.l2 is None:
        folds = min(FOLDS, len(train.prompt_ids))
        if folds < 2:
            raise ScoringError(
                "cross-validation, which chooses the penalty, needs at least 2 prompts; there is 1. Give --l2"
            )
        tried = choose_l2(train, reward, options, folds)
        options = replace(options, l2=tried.l2)
        notes += (tried.remark,) if tried.remark else ()
    found = fit(train, reward, options, rest)
    if rest is not None and found.held_out is not None:
        loss = found.held_out.hinge_loss
        objective = None if loss is None else loss + options.l2 / 2 * float(found.values @ found.values)
        how_held = f"{how.held_out:.0%} of the prompts, drawn by seed {how.seed}"
        rules = rest.features @ found.values
        ids = tuple(rest.prompt_ids.tolist())
        unseen: Unseen | None = Unseen(how_held, objective, found.gap, found.held_out, rest, rules, ids)
    else:
        unseen, more = _left_out_once(completions, reward, options)
        notes += more
    return BehaviourFit(found, train, unseen, tried, notes)


def _split_completions(completions: ComparisonData, how: FileFit) -> tuple[ComparisonData, ComparisonData | None]:
    if how.held_out is None:
        return completions, None
    part = split_prompts(len(completions.prompt_ids), [1 - how.held_out, how.held_out], how.seed)
    return completions.of_prompts(part == 0), completions.of_prompts(part == 1)


def _left_out_once(
    completions: ComparisonData, reward: RewardConstraints, options: FitOptions
) -> tuple[Unseen | None, tuple[str, ...]]:
    folds = min(FOLDS, len(completions.prompt_ids))
    if folds < 2:
        return None, (ONE_PROMPT,)
    try:
        found = cross_validate(completions, reward, options, folds)
    except ScoringError as exc:
        return None, (f"nothing is held out: {exc}",)
    how = f"{folds}-fold cross-validation over prompts, folds drawn by seed {options.seed}"
    return Unseen(how, found.objective, found.gap, found.evaluation, completions, found.rules), ()


def _reward(
    completions: ComparisonData, policy: Policy, behaviour: str, signed: bool
) -> tuple[RewardConstraints, tuple[str, ...]]:
    """Return the policy's constraints on the file's features, and notes on differences between file and policy."""
    names = completions.feature_names
    asked = reward_of(policy, behaviour, signed)
    notes: tuple[str, ...] = ()
    if strangers := [name for name in names if name not in policy.feature_names(behaviour)]:
        notes += (f"fitted although policy '{policy.name}' has no such features: {', '.join(strangers)}",)
    classes = tuple(name for name in asked.classes if name in names)
    at = [names.index(name) for name in classes]
    if classes and np.abs(completions.features[:, at].sum(axis=1) - 1.0).max() > SUM_TOLERANCE:
        notes += ("class features do not sum to 1 in every row: their weights are not centred",)
        classes = ()
    return RewardConstraints(
        asked.order, classes, {name: sign for name, sign in asked.signs.items() if name in names}
    ), notes


def as_json(graded: GradedFile, policy: Policy, how: FileFit, found: Mapping[str, BehaviourFit]) -> dict[str, object]:
    """Return the fits as JSON values.

    Each behaviour has its weights, and its performance on training and held-out prompts.
    """
    return {name: _behaviour_json(graded, policy, how, name, each) for name, each in found.items()}


def _behaviour_json(
    graded: GradedFile, policy: Policy, how: FileFit, behaviour: str, each: BehaviourFit
) -> dict[str, object]:
    fitted = each.fit
    train = {"objective": fitted.objective, "gap": fitted.gap, **_achieved(fitted.train)}
    held_out: dict[str, object] | None = None
    if each.unseen is not None:
        unseen = each.unseen
        held_out = {"how": unseen.how, "objective": unseen.objective, "gap": unseen.gap, **_achieved(unseen.evaluation)}
        if each.unseen.prompt_ids:
            held_out["prompt_ids"] = list(each.unseen.prompt_ids)
    result: dict[str, object] = {
        "weights": {w.feature: {"value": w.value, "low": w.low, "high": w.high} for w in fitted.weights},
        **{name: train[name] for name in _SHORT},
        "train": train,
        "held_out": held_out,
        "policy": policy.name,
        "policy_version": policy.version,
        "policy_fingerprint": policy.fingerprint,
        "file_sha256": graded.sha256,
        "l2": fitted.l2,
        "margin": how.margin,
        **({"margins": {f"{a} > {b}": asked for (a, b), asked in how.margins.items()}} if how.margins else {}),
        "signed": how.signed,
        "base_rewards": graded.has_base[behaviour],
        "bootstrap": how.bootstrap,
        "seed": how.seed,
        "notes": list(each.notes),
    }
    if each.tried is not None:
        result["l2_tried"] = [
            {"l2": score.l2, "hinge_loss": score.hinge_loss, "pairwise_error": score.pairwise_error}
            for score in each.tried.tried
        ]
    return result


_SHORT: Final = ("objective", "gap", "hinge_loss", "pairwise_error", "ideal_first", "pairs", "prompts")
"""Figures of the training prompts that are repeated at the top level."""


def _achieved(evaluation: Evaluation) -> dict[str, object]:
    by_reward = {"base_only": evaluation.base_only, "rules_only": evaluation.rules_only}
    return {
        "hinge_loss": evaluation.hinge_loss,
        "pairwise_error": evaluation.total.pairwise_error,
        "ideal_first": evaluation.total.ideal_first,
        "pairs": evaluation.pairs,
        "prompts": evaluation.prompts,
        "completions": evaluation.completions,
        **{
            name: {"pairwise_error": ranking.pairwise_error, "ideal_first": ranking.ideal_first}
            for name, ranking in by_reward.items()
        },
    }
