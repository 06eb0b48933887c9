"""The stage fit computes reward weights from graded comparisons, by minimizing a hinge loss."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from demur.configuration.sections import FitConfig
from demur.engine.context import RoundContext, digest_of
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.programs.errors import ProgramError
from demur.programs.installation import scoring_version
from demur.rewards.base_rewards import base_rewards, with_base
from demur.rewards.fits import by_behaviour, fit_behaviour
from demur.rewards.prompts import policy_scope
from demur.scoring import ScoringError
from demur.scoring.reward_fitting.ordered_pairs import Evaluation
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "fit"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit for each behaviour of each policy in `fit.policies`.

    The inputs of the unit include the grades. If a grade changes, the weights are therefore computed again.
    """
    fitted = {policy.name for policy in context.policies}
    base = base_rewards(context, con)
    rows = (row for row in records(con, "graded_completions", [context.round_id]) if row["policy"] in fitted)
    for (name, behaviour), graded in by_behaviour(rows).items():
        scope = policy_scope(context, name)
        completions = with_base(context, base, f"completions of {name}", "completion_id", graded)
        inputs = {
            "policy": name,
            "behaviour": behaviour,
            "grader": completions[0]["grader"],
            "options": _options(context.config.fit),
            "seed": int(digest_of(scope, NAME)[:12], 16),
            "completions": completions,
        }
        decisive = context.policy(name).fingerprint, scoring_version()
        yield planned_unit(context, NAME, ("policy", "behaviour"), inputs, *decisive, scope=scope)


def _options(config: FitConfig) -> dict[str, Any]:
    """Return the settings of a fit."""
    return config.model_dump(include={"margin", "l2", "held_out", "bootstrap", "signs"})


def _rows(context: RoundContext, unit: Unit) -> Rows:
    policy = context.policy(unit.inputs["policy"])
    try:
        found = fit_behaviour(policy, unit.inputs)
    except ScoringError as exc:
        raise ProgramError(f"{unit.inputs['policy']}, {unit.inputs['behaviour']}: {exc}") from exc
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


FIT: Final = Stage(NAME, "fits", FOLDER, _plan, WithoutModels(_rows), own_round=False)
