"""The stage screen asks screeners the base instances. A base instance is perturbed only if all answer it correctly.

A unit asks one screener for an answer, and the first judge of the round for a judgement of this answer. The answers are
not used again: respondents are asked the controls anew.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.instances import base_of, language_of, passage_records, without_english
from demur.engine.model_use import FIRST_JUDGE, InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.reply_key import BASE, ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.programs.judge import Judge, judge, judge_prompts
from demur.programs.languages import fingerprint_in
from demur.programs.model import Model
from demur.programs.respondent import Respondent, respond, respondent_prompts
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "screen"
KEY: Final = ReplyKey(NAME, BASE, "screener")
SCREENERS: Final = InRole("screener")


def _programs(context: RoundContext) -> tuple[Respondent, Judge]:
    return Respondent(context.config.response_prompts[0]), Judge(plain=context.config.is_plain)


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    (first_judge,) = FIRST_JUDGE.specs(context)
    for base in records(con, FOLDER / "plan.sql", [context.round_id]):
        for screener in SCREENERS.specs(context):
            programs = [fingerprint_in(program, language_of(base)) for program in _programs(context)]
            inputs = {
                **without_english(base),
                "passages": passage_records(base["passages"]),
                "screener": screener.name,
            }
            yield planned_unit(context, NAME, inputs, *programs, screener.fingerprint, first_judge.fingerprint)


def _work(context: RoundContext, screeners: Mapping[str, Model], judges: Mapping[str, Model]) -> UnitWork:
    answering, judging = _programs(context)
    (judge_model,) = judges.values()

    async def work(unit: Unit) -> Rows:
        base = base_of(unit.inputs)
        screener = screeners[unit.inputs["screener"]]
        response = await respond(answering, screener, base.question, base.passages, base.language)
        judged = await judge(
            judging, judge_model, base.question, base.answers, response.text, base.passages, base.language
        )
        row = {
            **unit.row(context.round_id, "base_id", "screener"),
            "response": response.text,
            "predicted": judged.predicted,
            "correct": bool(judged.correct),
        }
        return {"screenings": [row]}

    return work


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    bases = context.config.bases / rates.solved
    yield from SCREENERS.loads(context, bases, respondent_prompts)
    yield from FIRST_JUDGE.loads(context, bases * len(SCREENERS.names(context)), judge_prompts)


_OPEN: Final = WithModels(_work, (SCREENERS, FIRST_JUDGE))
SCREEN: Final = Stage(NAME, "screenings", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))
