"""Judge: every judge says what each response is.

Judges see responses in the order of their ids, which are hashes: no respondent, stratum or base comes in a block.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Final

from demur.configuration.labels import labelled_judges
from demur.engine.context import RoundContext
from demur.engine.instances import passage_records, passages_of
from demur.engine.model_use import ModelLoad, ModelUse, WithModels, YieldRates, loads_of
from demur.engine.reply_key import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.volumes import responses
from demur.lanes.factory import Model
from demur.levers.vocabulary import Code
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.code_version import codes_version
from demur.programs.judge import Judge, judge
from demur.programs.prompt_sizes import Sizes
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "judge"
KEY: Final = ReplyKey(NAME, ("question", "reference_answers", "response", "passages"), "judge")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    program, codes = fingerprint(Judge()), codes_version()
    judges = labelled_judges(context.config)
    for response in records(con, FOLDER / "plan.sql", [context.round_id]):
        answerable = response["expected"] == Code.ANSWER_CORRECTLY
        for label, name in judges.items():
            [spec] = context.specs((name,))
            inputs = {
                **{name: response[name] for name in ("response_id", "item_id", "class", "intensity", "respondent")},
                "judge": label,
                "question": response["question"],
                "reference_answers": response["answers"] if answerable else [],
                "response": response["response"],
                "passages": passage_records(response["passages"]),
            }
            yield planned_unit(context, NAME, inputs, program, codes, spec.fingerprint)


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program, judges = Judge(), labelled_judges(context.config)

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        judgement = await judge(
            program,
            models[judges[inputs["judge"]]],
            inputs["question"],
            inputs["reference_answers"],
            inputs["response"],
            passages_of(inputs["passages"]),
        )
        of = ("response_id", "item_id", "class", "intensity", "respondent", "judge")
        codes = [code.value for code in judgement.other_codes]
        return {"judgements": [{**unit.row(context.round_id, *of), **asdict(judgement), "other_codes": codes}]}

    return work


def _models(context: RoundContext) -> tuple[str, ...]:
    return context.config.roles.judges


def _loads(context: RoundContext, sizes: Sizes, rates: YieldRates) -> Iterator[ModelLoad]:
    units = responses(context, rates) * context.config.judge_replicates
    return loads_of(context, "judge", _models(context), units, sizes.judge)


JUDGE: Final = Stage(
    NAME, "judgements", FOLDER, _plan, WithModels("judge", _models, _work), ModelUse(_models, _loads, KEY)
)
