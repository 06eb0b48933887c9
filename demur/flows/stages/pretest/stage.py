"""Pretest: respondents that are never scored respond to what the verifiers accepted, so that items can be chosen by it.

A response and its judgement are one unit, as in the stage screen; neither is used again.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.instances import base_of, passage_records, passages_of, perturbation_of, stratum_of
from demur.engine.model_use import ModelLoad, ModelUse, YieldRates, loads_of
from demur.engine.reply_key import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.judged_answers import answering_programs, open_answering
from demur.flows.stages.volumes import accepted
from demur.levers.vocabulary import INVALID, expected_code
from demur.programs.code_version import codes_version
from demur.programs.judge import Judgement, judge_prompts
from demur.programs.respondent import respondent_prompts
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "pretest"
KEY: Final = ReplyKey(NAME, ("question", "passages"), "probe")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    decisive = *answering_programs(context), codes_version()
    (judge,) = context.specs(context.config.roles.judges[:1])
    probes = context.specs(_probes(context))
    for row in records(con, FOLDER / "plan.sql", [context.round_id]) if probes else ():
        base = base_of({**row, "question": row["base_question"]})
        perturbation = perturbation_of(row["question"], row["changed"], row["lever"])
        for probe in probes:
            inputs = {
                **{name: row[name] for name in ("perturbation_id", "base_id", "class", "intensity")},
                "probe": probe.name,
                "question": perturbation.question,
                "answers": row["answers"] if not expected_code(*stratum_of(row)).is_refusal else [],
                "passages": passage_records(perturbation.passages(base)),
            }
            yield planned_unit(context, NAME, inputs, *decisive, probe.fingerprint, judge.fingerprint)


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    async with open_answering(context, "pretest", _probes(context)) as answer:

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            asked = inputs["question"], inputs["answers"], passages_of(inputs["passages"])
            response, judged = await answer(inputs["probe"], *asked)
            row = {
                **unit.row(context.round_id, "perturbation_id", "class", "intensity", "probe"),
                "response": response,
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


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    probes = _probes(context)
    if probes:
        units = accepted(context, rates)
        yield from loads_of(context, "pretest", probes, units, respondent_prompts)
        yield from loads_of(context, "judge", context.config.roles.judges[:1], units * len(probes), judge_prompts)


PRETEST: Final = Stage(NAME, "pretests", FOLDER, _plan, _open, ModelUse(_models, _loads, KEY))
