"""Pretest: respondents that are never scored respond to what the verifiers accepted, so that items can be chosen by it.

A response and its judgement are one unit, as in the stage screen; neither is used again.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from demur.flows.engine.context import RoundContext
from demur.flows.engine.instances import base_of, passage_records, passages_of, perturbation_of, stratum_of
from demur.flows.engine.model_use import ModelLoad, ModelUse, YieldRates, loads_of
from demur.flows.engine.reply_key import ReplyKey
from demur.flows.engine.stage import Stage
from demur.flows.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.settings import keys_of
from demur.flows.stages.volumes import accepted
from demur.levers.vocabulary import INVALID, expected_code
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.code_version import codes_version
from demur.programs.judge import Judge, Judgement, judge
from demur.programs.lanes.factory import open_models
from demur.programs.prompt_sizes import Sizes
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "pretest"
KEY: Final = ReplyKey(NAME, ("question", "passages"), "probe")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    decisive = fingerprint(Respondent(context.config.response_prompts[0])), fingerprint(Judge()), codes_version()
    (judge,) = context.specs(context.config.roles.judges[:1])
    probes = context.specs(_probes(context))
    for row in records(con, FOLDER / "plan.sql", [context.round_id]) if probes else ():
        base = base_of({**row, "question": row["base_question"]})
        perturbation = perturbation_of(row["question"], row["changed"], row["lever"])
        for probe in probes:
            inputs = {
                "perturbation_id": row["perturbation_id"],
                "base_id": row["base_id"],
                "class": row["class"],
                "intensity": row["intensity"],
                "probe": probe.name,
                "question": perturbation.question,
                "answers": row["answers"] if not expected_code(*stratum_of(row)).is_refusal else [],
                "passages": passage_records(perturbation.passages(base)),
            }
            yield planned_unit(
                context,
                NAME,
                inputs,
                *decisive,
                probe.fingerprint,
                judge.fingerprint,
                lever_class=str(row["class"]),
                intensity=str(row["intensity"]),
            )


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    probes, judges = context.specs(_probes(context)), context.specs(context.config.roles.judges[:1])
    respondent, judging = Respondent(context.config.response_prompts[0]), Judge()
    async with (
        open_models(probes, "pretest", keys_of(probes)) as answering,
        open_models(judges, "judge", keys_of(judges)) as judge_models,
    ):

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            passages = passages_of(inputs["passages"])
            said = await respond(respondent, answering[inputs["probe"]], inputs["question"], passages)
            model = judge_models[judges[0].name]
            judged = await judge(judging, model, inputs["question"], inputs["answers"], said.text, passages)
            row = {
                **unit.key(context.round_id),
                "call_id": unit.scope.last_call_id,
                **{name: inputs[name] for name in ("perturbation_id", "class", "intensity", "probe")},
                "response": said.text,
                "predicted": judged.predicted,
                "is_right": _is_right(unit, judged),
            }
            return {"pretests": [row]}

        yield work


def _is_right(unit: Unit, judged: Judgement) -> bool | None:
    """Return whether a response is what is expected, None where it could not be judged."""
    expected = expected_code(*stratum_of(unit.inputs))
    if judged.predicted == INVALID:
        return None
    return judged.predicted == expected if expected.is_refusal else bool(judged.correct)


def _probes(context: RoundContext) -> tuple[str, ...]:
    difficulty = context.config.assemble.difficulty
    return () if difficulty is None else difficulty.probe


def _models(context: RoundContext) -> tuple[str, ...]:
    probes = _probes(context)
    return (*probes, *context.config.roles.judges[:1]) if probes else ()


def _loads(context: RoundContext, sizes: Sizes, rates: YieldRates) -> Iterator[ModelLoad]:
    probes = _probes(context)
    if probes:
        units = accepted(context, rates)
        yield from loads_of(context, "pretest", probes, units, sizes.respond)
        yield from loads_of(context, "judge", context.config.roles.judges[:1], units * len(probes), sizes.judge)


PRETEST: Final = Stage(NAME, "pretests", FOLDER, _plan, _open, ModelUse(_models, _loads, KEY))
