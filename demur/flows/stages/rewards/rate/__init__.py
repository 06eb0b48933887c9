"""The stage rate lets a model rate the helpfulness of completions and graded responses.

A rating is a base reward. The stage `reward` adds the weighted propositions and classes of a response to its base
reward.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.models import InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.volumes import graded_texts
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.completions import Rater, rate, rater_prompts
from demur.programs.model import Model
from demur.rewards.base_rewards import rated_subjects
from demur.rewards.prompts import policy_scope
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "rate"
KEY: Final = ReplyKey(NAME, ("prompt", "passages", "completion"), "rater")
RATER: Final = InRole("rater")
RATED: Final = ("subject_kind", "subject_id", "rater")
"""Inputs that say which text is rated, and by whom."""


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit for each completion and each graded response.

    Ids of units are unique in the scope of `policy_scope`. Later rounds can therefore use the ratings of completions of
    a policy with its own prompts.
    """
    program = fingerprint(Rater())
    for rater in RATER.specs(context):
        for kind, subject_id, row in rated_subjects(con, context.round_id):
            inputs = {
                "subject_kind": kind,
                "subject_id": subject_id,
                "prompt": row["prompt"],
                "passages": [passage["text"] for passage in row["passages"] or ()],
                "completion": row["completion"],
                "rater": rater.name,
            }
            scope = policy_scope(context, str(row["policy"]))
            yield planned_unit(context, NAME, RATED, inputs, program, rater.fingerprint, scope=scope)


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program = Rater()

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        model = models[inputs["rater"]]
        found = await rate(program, model, inputs["prompt"], inputs["passages"], inputs["completion"])
        row = unit.row(context.round_id, *RATED)
        return {"base_rewards": [{**row, "base_reward": found}]}

    return work


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    return RATER.loads(context, graded_texts(context, rates), rater_prompts)


_OPEN: Final = WithModels(_work, (RATER,))
RATE: Final = Stage(NAME, "base_rewards", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))
