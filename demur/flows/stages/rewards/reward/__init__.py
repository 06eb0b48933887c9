"""The stage reward computes the rewards of graded responses from the fitted weights.

If the round has a rater, the rating of a response (its base reward) is added.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from demur.engine.context import RoundContext
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.programs.installation import scoring_version
from demur.rewards.base_rewards import base_rewards, with_base
from demur.rewards.fits import fitted_weights
from demur.scoring.reward_fitting.completion_classes import feature_matrix, proposition_matrix
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "reward"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    weights = fitted_weights(con, context.round_id)
    rows = list(records(con, FOLDER / "plan.sql", [context.round_id]))
    for row in with_base(context, base_rewards(context, con), "responses", "response_id", rows):
        fitted = weights.get((row["policy"], row["behaviour"]))
        if fitted:
            inputs = {**row, "weights": fitted}
            decisive = context.policy(row["policy"]).fingerprint, scoring_version()
            yield planned_unit(context, NAME, ("policy", "behaviour", "response_id"), inputs, *decisive)


def _rows(context: RoundContext, unit: Unit) -> Rows:
    inputs = unit.inputs
    policy = context.policy(inputs["policy"])
    behaviour = inputs["behaviour"]
    phi = proposition_matrix(policy.behaviour(behaviour), [inputs["grades"]])
    features, names = feature_matrix(policy, behaviour, phi)
    by_rules = float(features[0] @ np.array([inputs["weights"][name] for name in names]))
    row = {
        **unit.key(context.round_id),
        **{name: inputs[name] for name in ("policy", "behaviour", "response_id", "respondent")},
        "reward": inputs.get("base_reward", 0.0) + by_rules,
    }
    return {"rewards": [row]}


REWARD: Final = Stage(NAME, "rewards", FOLDER, _plan, WithoutModels(_rows))
