"""Screen: models must answer a base instance unperturbed before it is perturbed.

Screeners' answers are never used again; controls are asked afresh.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.instances import base_of, language_of, passage_records, without_english
from demur.engine.model_use import ModelLoad, ModelUse, YieldRates, loads_of
from demur.engine.reply_key import BASE, ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.judged_answers import answering_programs, open_answering
from demur.programs.judge import judge_prompts
from demur.programs.respondent import respondent_prompts
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "screen"
KEY: Final = ReplyKey(NAME, BASE, "screener")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    (judge,) = context.specs(context.config.roles.judges[:1])
    for base in records(con, FOLDER / "plan.sql", [context.round_id]):
        for screener in context.specs(context.config.roles.screeners):
            known = without_english(base)
            programs = answering_programs(context, language_of(base))
            inputs = {**known, "passages": passage_records(base["passages"]), "screener": screener.name}
            yield planned_unit(context, NAME, inputs, *programs, screener.fingerprint, judge.fingerprint)


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    async with open_answering(context, "screener", context.config.roles.screeners) as answer:

        async def work(unit: Unit) -> Rows:
            base = base_of(unit.inputs)
            screener = unit.inputs["screener"]
            response, judged = await answer(screener, base.question, base.answers, base.passages, base.language)
            row = {
                **unit.row(context.round_id, "base_id", "screener"),
                "response": response,
                "predicted": judged.predicted,
                "correct": bool(judged.correct),
            }
            return {"screenings": [row]}

        yield work


def _models(context: RoundContext) -> tuple[str, ...]:
    return (*context.config.roles.screeners, *context.config.roles.judges[:1])


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    roles = context.config.roles
    bases = context.config.bases / rates.solved
    yield from loads_of(context, "screener", roles.screeners, bases, respondent_prompts)
    yield from loads_of(context, "judge", roles.judges[:1], bases * len(roles.screeners), judge_prompts)


SCREEN: Final = Stage(NAME, "screenings", FOLDER, _plan, _open, ModelUse(_models, _loads, KEY))
