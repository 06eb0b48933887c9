"""Fit: reward weights from graded comparisons by a hinge loss, and what they make of the round's responses."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

import numpy as np

from demur.flows.context import RoundContext, digest_of
from demur.flows.fit_config import CHOOSE
from demur.flows.fit_config import Fit as FitConfig
from demur.flows.payload import PlannedUnit, planned_unit
from demur.flows.progress import observer
from demur.flows.prompts import policy_scope
from demur.flows.shard import Rows, Unit, UnitWork
from demur.flows.stage import Stage
from demur.flows.versions import scoring_version
from demur.levers.policies import Policy
from demur.programs.errors import ProgramError
from demur.scoring.classes import feature_matrix, proposition_matrix
from demur.scoring.comparisons import Completions
from demur.scoring.errors import ScoringError
from demur.scoring.l2_choice import choose_l2
from demur.scoring.ranking import Evaluation, split_prompts
from demur.scoring.weights import Fit, FitOptions, fit, reward_of
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

Graded = Sequence[Mapping[str, Any]]
L2_FOLDS: Final = 5
"""Parts of the fitted prompts, each unseen once, by which a penalty is chosen."""


def _plan_fit(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """One unit per policy and behaviour, with its graded completions as input: other grades mean another fit."""
    known = {policy.name: policy for policy in context.policies}
    rows = records(con, "plan_fit", [context.round_id])
    for (name, behaviour), graded in groupby(rows, key=lambda row: (str(row["policy"]), str(row["behaviour"]))):
        scope = policy_scope(context, name)
        completions = list(graded)
        inputs = {
            "policy": name,
            "behaviour": behaviour,
            "grader": completions[0]["grader"],
            "options": _options(context.config.fit),
            "seed": int(digest_of(scope, "fit")[:12], 16),
            "completions": completions,
        }
        yield planned_unit(context, "fit", inputs, known[name].fingerprint, scoring_version(), scope=scope)


def _options(config: FitConfig) -> dict[str, Any]:
    """Return what decides a fit; a choice that a round does not make is not named, so that earlier fits stay."""
    options = config.model_dump(include={"margin", "l2", "held_out", "bootstrap"})
    return {**options, "signs": True} if config.signs else options


@asynccontextmanager
async def _open_fit(context: RoundContext) -> AsyncIterator[UnitWork]:
    known = {policy.name: policy for policy in context.policies}

    async def work(unit: Unit) -> Rows:
        policy = known[unit.inputs["policy"]]
        try:
            found = fitted(policy, unit.inputs)
        except ScoringError as exc:
            raise ProgramError(f"{unit.inputs['policy']}, {unit.inputs['behaviour']}: {exc}") from exc
        return _fit_rows(context, unit, policy, found)

    yield work


def fitted(policy: Policy, inputs: Mapping[str, Any]) -> Fit:
    """Return the fit of one behaviour's graded completions, as a unit of the stage describes it.

    Raises:
        ScoringError: the completions cannot be fitted.
    """
    behaviour, options = inputs["behaviour"], inputs["options"]
    graded: Graded = inputs["completions"]
    prompts = sorted({str(row["prompt_id"]) for row in graded})
    parts = split_prompts(len(prompts), [1 - options["held_out"], options["held_out"]], inputs["seed"])
    part_of = dict(zip(prompts, parts, strict=True))
    train = [row for row in graded if part_of[str(row["prompt_id"])] == 0]
    held_out = [row for row in graded if part_of[str(row["prompt_id"])] == 1]
    completions = completions_of(policy, behaviour, train)
    reward = reward_of(policy, behaviour, signed=options.get("signs", False))
    chosen = options["l2"] == CHOOSE
    how = FitOptions(1.0 if chosen else options["l2"], options["margin"], options["bootstrap"], inputs["seed"] % 2**32)
    if chosen:
        folds = min(L2_FOLDS, len(completions.prompt_ids))
        choice = choose_l2(completions, reward, how, folds)
        if choice.remark:
            observer().waiting(f"fit: {policy.name}, {behaviour}: {choice.remark}")
        how = replace(how, l2=choice.l2)
    return fit(completions, reward, how, completions_of(policy, behaviour, held_out))


def completions_of(policy: Policy, behaviour: str, graded: Graded) -> Completions:
    """Return graded completions of a behaviour with their features."""
    phi = proposition_matrix(policy.behaviour(behaviour), [row["grades"] for row in graded])
    facts: dict[str, list[bool]] = defaultdict(list)
    for row in graded:
        for fact in row["facts"]:
            facts[fact["fact"]].append(fact["holds"])
    features, names = feature_matrix(policy, behaviour, phi, {name: np.array(held) for name, held in facts.items()})
    return Completions.of(names, features, [row["prompt_id"] for row in graded], [row["label"] for row in graded])


def _fit_rows(context: RoundContext, unit: Unit, policy: Policy, found: Fit) -> Rows:
    inputs = unit.inputs
    key = {**unit.key(context.round_id), "policy": inputs["policy"], "behaviour": inputs["behaviour"]}
    fit_row = {
        **key,
        "grader": inputs["grader"],
        "margin": inputs["options"]["margin"],
        "l2": found.l2,
        "objective": found.objective,
        "relative_gap": found.gap,
        **_evaluated("train", found.train),
        **_evaluated("held_out", found.held_out),
    }
    weights = [
        {
            **key,
            "feature": weight.feature,
            "kind": "class" if weight.feature in policy.classes else "proposition",
            "value": weight.value,
            "low": weight.low,
            "high": weight.high,
        }
        for weight in found.weights
    ]
    return {"fits": [fit_row], "weights": weights}


def _evaluated(part: str, evaluation: Evaluation | None) -> dict[str, object]:
    return {
        f"prompts_{part}": evaluation.prompts if evaluation else 0,
        f"pairs_{part}": evaluation.pairs if evaluation else 0,
        f"hinge_loss_{part}": evaluation.hinge_loss if evaluation else None,
        f"pairwise_error_{part}": evaluation.total.pairwise_error if evaluation else None,
        f"ideal_first_{part}": evaluation.total.ideal_first if evaluation else None,
    }


def _plan_reward(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    weights: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in records(con, "fitted_weights", [context.round_id]):
        weights[row["policy"], row["behaviour"]][row["feature"]] = row["value"]
    known = {policy.name: policy for policy in context.policies}
    for row in records(con, "plan_reward", [context.round_id]):
        fitted = weights.get((row["policy"], row["behaviour"]))
        if fitted:
            inputs = {**row, "weights": fitted}
            yield planned_unit(context, "reward", inputs, known[row["policy"]].fingerprint, scoring_version())


@asynccontextmanager
async def _open_reward(context: RoundContext) -> AsyncIterator[UnitWork]:
    known = {policy.name: policy for policy in context.policies}

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        policy, behaviour = known[inputs["policy"]], inputs["behaviour"]
        phi = proposition_matrix(policy.behaviour(behaviour), [inputs["grades"]])
        features, names = feature_matrix(policy, behaviour, phi)
        row = {
            **unit.key(context.round_id),
            "policy": policy.name,
            "behaviour": behaviour,
            "response_id": inputs["response_id"],
            "reward": float(features[0] @ np.array([inputs["weights"][name] for name in names])),
            "respondent": inputs["respondent"],
        }
        return {"rewards": [row]}

    yield work


FIT = Stage("fit", "fits", _plan_fit, _open_fit)
REWARD = Stage("reward", "rewards", _plan_reward, _open_reward)
