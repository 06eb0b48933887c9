"""Screen: models must answer a base instance unperturbed before anything is made of it.

What a screener answered is never used again; controls are asked afresh.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from demur.flows.engine.context import RoundContext
from demur.flows.engine.instances import base_of, passage_records
from demur.flows.engine.model_use import ModelLoad, ModelUse, YieldRates, loads_of
from demur.flows.engine.reply_key import BASE, ReplyKey
from demur.flows.engine.stage import Stage
from demur.flows.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.settings import keys_of
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.judge import Judge, judge
from demur.programs.lanes.factory import open_models
from demur.programs.prompt_sizes import Sizes
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "screen"
KEY: Final = ReplyKey(NAME, BASE, "screener")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    programs = fingerprint(Respondent(context.config.response_prompts[0])), fingerprint(Judge())
    (judge,) = context.specs(context.config.roles.judges[:1])
    for base in records(con, FOLDER / "plan.sql", [context.round_id]):
        for screener in context.specs(context.config.roles.screeners):
            inputs: dict[str, Any] = {
                **base,
                "passages": passage_records(base["passages"]),
                "screener": screener.name,
            }
            yield planned_unit(context, NAME, inputs, *programs, screener.fingerprint, judge.fingerprint)


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    roles = context.config.roles
    screeners, judges = context.specs(roles.screeners), context.specs(roles.judges[:1])
    respondent, judging = Respondent(context.config.response_prompts[0]), Judge()
    async with (
        open_models(screeners, "screener", keys_of(screeners)) as answering,
        open_models(judges, "judge", keys_of(judges)) as judge_models,
    ):

        async def work(unit: Unit) -> Rows:
            base = base_of(unit.inputs)
            screener = unit.inputs["screener"]
            said = await respond(respondent, answering[screener], base.question, base.passages)
            response = said.text
            judgement = await judge(
                judging, judge_models[roles.judges[0]], base.question, base.answers, response, base.passages
            )
            row = {
                **unit.key(context.round_id),
                "call_id": unit.scope.last_call_id,
                "base_id": unit.inputs["base_id"],
                "screener": screener,
                "response": response,
                "predicted": judgement.predicted,
                "correct": bool(judgement.correct),
            }
            return {"screenings": [row]}

        yield work


def _models(context: RoundContext) -> tuple[str, ...]:
    return (*context.config.roles.screeners, *context.config.roles.judges[:1])


def _loads(context: RoundContext, sizes: Sizes, rates: YieldRates) -> Iterator[ModelLoad]:
    roles, bases = context.config.roles, context.config.bases / rates.solved
    yield from loads_of(context, "screener", roles.screeners, bases, sizes.respond)
    yield from loads_of(context, "judge", roles.judges[:1], bases * len(roles.screeners), sizes.judge)


SCREEN: Final = Stage(NAME, "screenings", FOLDER, _plan, _open, ModelUse(_models, _loads, KEY))
