"""Evaluate: respondents answer items and controls, judges say what each response is, scores are counted.

Judges see responses in the order of their ids, which are hashes: no respondent, stratum or base comes in a block.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from demur.flows.context import RoundContext
from demur.flows.judgings import judgings_of
from demur.flows.payload import PlannedUnit, passage_records, passages_of, planned_unit
from demur.flows.respondings import respondings_of
from demur.flows.settings import keys_of
from demur.flows.shard import Rows, Unit, UnitWork
from demur.flows.stage import Stage
from demur.levers.vocabulary import Code
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.code_version import codes_version
from demur.programs.judge import Judge, judge
from demur.programs.lanes.factory import open_models
from demur.programs.options import Prompts
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import Connection
from demur.warehouse.records import records


def _plan_respond(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    programs = {prompts: fingerprint(program) for prompts, program in _programs(context).items()}
    specs = {spec.name: spec for spec in context.specs(context.config.roles.respondents)}
    respondings = respondings_of(context.config)
    for item in records(con, "plan_respond", [context.round_id]):
        for label, responding in respondings.items():
            for replicate in range(context.config.response_replicates):
                inputs = {
                    **item,
                    "passages": passage_records(item["passages"]),
                    "respondent": label,
                    "replicate": replicate,
                }
                yield planned_unit(
                    context,
                    "respond",
                    inputs,
                    programs[responding.prompts],
                    specs[responding.model].fingerprint,
                    lever_class=item["class"],
                    intensity=item["intensity"],
                )


def _programs(context: RoundContext) -> dict[Prompts, Respondent]:
    """Return the program of every set of prompts that the round asks with."""
    config = context.config
    return {prompts: Respondent(prompts, config.elicit_confidence) for prompts in config.response_prompts}


@asynccontextmanager
async def _open_respond(context: RoundContext) -> AsyncIterator[UnitWork]:
    specs = context.specs(context.config.roles.respondents)
    programs, respondings = _programs(context), respondings_of(context.config)
    async with open_models(specs, "respondent", keys_of(specs)) as models:

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            responding = respondings[inputs["respondent"]]
            response = await respond(
                programs[responding.prompts],
                models[responding.model],
                inputs["question"],
                passages_of(inputs["passages"]),
            )
            row = {
                **unit.key(context.round_id),
                "call_id": unit.scope.last_call_id,
                "response_id": unit.unit_id,
                "item_id": inputs["item_id"],
                "base_id": inputs["base_id"],
                "class": inputs["class"],
                "intensity": inputs["intensity"],
                "respondent": inputs["respondent"],
                "replicate": inputs["replicate"],
                "response": response.text,
                "confidence": None if response.confidence is None else response.confidence.value,
            }
            return {"responses": [row]}

        yield work


def _plan_judge(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    program, codes = fingerprint(Judge()), codes_version()
    judgings = judgings_of(context.config)
    for response in records(con, "plan_judge", [context.round_id]):
        answerable = response["expected"] == Code.ANSWER_CORRECTLY
        for label, name in judgings.items():
            [spec] = context.specs((name,))
            inputs = {
                "response_id": response["response_id"],
                "item_id": response["item_id"],
                "class": response["class"],
                "intensity": response["intensity"],
                "respondent": response["respondent"],
                "judge": label,
                "question": response["question"],
                "reference_answers": response["answers"] if answerable else [],
                "response": response["response"],
                "passages": passage_records(response["passages"]),
            }
            yield planned_unit(
                context,
                "judge",
                inputs,
                program,
                codes,
                spec.fingerprint,
                lever_class=response["class"],
                intensity=response["intensity"],
            )


@asynccontextmanager
async def _open_judge(context: RoundContext) -> AsyncIterator[UnitWork]:
    specs = context.specs(context.config.roles.judges)
    program, judgings = Judge(), judgings_of(context.config)
    async with open_models(specs, "judge", keys_of(specs)) as models:

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            judgement = await judge(
                program,
                models[judgings[inputs["judge"]]],
                inputs["question"],
                inputs["reference_answers"],
                inputs["response"],
                passages_of(inputs["passages"]),
            )
            row = {
                **unit.key(context.round_id),
                "call_id": unit.scope.last_call_id,
                "response_id": inputs["response_id"],
                "item_id": inputs["item_id"],
                "class": inputs["class"],
                "intensity": inputs["intensity"],
                "respondent": inputs["respondent"],
                "judge": inputs["judge"],
                "predicted": judgement.predicted,
                "several_codes": judgement.several_codes,
                "quality": judgement.quality,
                "eligible": judgement.eligible,
                "supported_all": judgement.supported_all,
                "supported_relevant": judgement.supported_relevant,
                "correct": judgement.correct,
                "explanation": judgement.explanation,
                "other_codes": [code.value for code in judgement.other_codes],
            }
            return {"judgements": [row]}

        yield work


RESPOND = Stage("respond", "responses", _plan_respond, _open_respond, lambda context: context.config.roles.respondents)
JUDGE = Stage("judge", "judgements", _plan_judge, _open_judge, lambda context: context.config.roles.judges)
