"""The stage grade lets a model give the probability of every proposition, for each completion and for responses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from demur.configuration.sections import ITEM_POLICY
from demur.engine.context import RoundContext, digest_of
from demur.engine.models import InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import COMPLETION, ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.rewards.write import typed_grounding
from demur.flows.stages.volumes import graded_texts, round_grader
from demur.levers.instances import language_of
from demur.levers.policy_models import Policy
from demur.programs.completions import grade, grader_prompts, one_by_one_prompts
from demur.programs.language_variants import fingerprint_in
from demur.programs.model import Model
from demur.programs.options import Grading
from demur.programs.signatures.completions import PropositionQuestion, codes_of
from demur.rewards.prompts import grounding_of, item_behaviour, policy_scope
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "grade"
KEY: Final = ReplyKey(NAME, (*COMPLETION, "completion"), "grader")
GRADER: Final = InRole("grader")
GRADED: Final = ("policy", "behaviour", "subject_kind", "subject_id", "grader")
"""Inputs that say which text is graded, and by whom."""


class GradingUnits:
    """Plans the units in which a round's grader grades texts."""

    def __init__(self, context: RoundContext) -> None:
        self._context = context
        (self._grader,) = GRADER.specs(context)
        self._program = round_grader(context)

    def of(
        self, name: str, stratum: Mapping[str, Any], inputs: Mapping[str, Any], scope: str | None = None
    ) -> PlannedUnit:
        """Return the unit that grades a completion by a policy of the round.

        Args:
            name: The name of the policy.
            stratum: A mapping with `class` and `intensity`.
            inputs: The other inputs of the unit.
            scope: The scope in which the unit's id is unique. Default: the round for the policy selective_refusal; for
                another policy the policy, so that later rounds use the same grades.
        """
        policy = self._context.policy(name)
        of_stratum = {"class": stratum["class"], "intensity": stratum["intensity"]}
        return planned_unit(
            self._context,
            NAME,
            GRADED,
            {**inputs, "policy": policy.name, **of_stratum, "grader": self._grader.name},
            fingerprint_in(self._program, language_of(inputs["grounding"] or {})),
            digest_of(codes_of(policy), questions_of(policy, inputs["behaviour"], inputs.get("propositions"))),
            self._grader.fingerprint,
            scope=scope or policy_scope(self._context, policy.name),
        )


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    if not context.policies:
        return
    units = GradingUnits(context)
    for row in records(con, FOLDER / "plan_completions.sql", [context.round_id]):
        inputs = {
            "behaviour": row["behaviour"],
            "subject_kind": "completion",
            "subject_id": row["completion_id"],
            "prompt": row["prompt"],
            "completion": row["completion"],
            "grounding": grounding_of(row) if row["expected"] else None,
        }
        if row["propositions"] is not None:
            inputs["propositions"] = list(row["propositions"])
        yield units.of(row["policy"], row, inputs)
    if ITEM_POLICY not in [policy.name for policy in context.policies]:
        return
    for row in records(con, FOLDER / "plan_responses.sql", [context.round_id]):
        if context.rng(NAME, row["response_id"]).random() >= context.config.fit.graded_responses:
            continue
        inputs = {
            "behaviour": item_behaviour(row["expected"]),
            "subject_kind": "response",
            "subject_id": row["response_id"],
            "prompt": row["question"],
            "completion": row["response"],
            "grounding": grounding_of(row),
        }
        yield units.of(ITEM_POLICY, row, inputs)


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program = round_grader(context)

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        policy = context.policy(inputs["policy"])
        graded = await grade(
            program,
            models[inputs["grader"]],
            policy=policy,
            propositions=questions_of(policy, inputs["behaviour"], inputs.get("propositions")),
            prompt=inputs["prompt"],
            grounding=typed_grounding(inputs["grounding"]),
            completion=inputs["completion"],
            language=language_of(inputs["grounding"] or {}),
        )
        of = ("policy", "behaviour", "subject_kind", "subject_id", "class", "intensity", "grader")
        shared = unit.row(context.round_id, *of)
        return {
            "grades": [
                {**shared, "call_id": one.call_id, "proposition": name, "probability": one.probability}
                for name, one in graded.items()
            ]
        }

    return work


def questions_of(policy: Policy, behaviour: str, names: Sequence[str] | None = None) -> list[PropositionQuestion]:
    """Return the questions that a grader is asked: one for each proposition in `names`.

    If `names` is None, return one for each feature of the behaviour.
    """
    return [PropositionQuestion.of(policy.proposition(name)) for name in names or policy.behaviour(behaviour).features]


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    units = graded_texts(context, rates)
    if context.config.fit.grading is Grading.PROPOSITIONS:
        yield from GRADER.loads(context, units, grader_prompts)
        return
    features = [len(behaviour.features) for policy in context.policies for behaviour in policy.behaviours]
    for load in GRADER.loads(context, units, one_by_one_prompts):
        yield replace(load, calls_per_unit=max(features, default=1))


_OPEN: Final = WithModels(_work, (GRADER,))
GRADE: Final = Stage(NAME, "grades", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))
