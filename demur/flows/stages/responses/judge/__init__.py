"""The stage judge lets every judge classify each response, and grade answers.

A response that is exactly one refusal code is classified as this code, under the label of each judge; no judge is asked
about it unless `judge_codes` is set. Judges get the other responses in the order of their ids. Ids are hashes, so this
order does not group the responses by respondent, stratum or base instance.
"""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, Final

from demur.configuration.labels import judgings, labelled_judges, parses_codes
from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext, judge_models, judge_specs
from demur.engine.logs import observer
from demur.engine.models import ModelLoad, ModelUse, YieldRates
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.responses.respond import respondents_left_out
from demur.flows.stages.volumes import items
from demur.lanes.engine import open_models
from demur.levers.instances import language_of, passage_records, passages_of, without_english
from demur.levers.vocabulary import Code
from demur.programs.installation import codes_version
from demur.programs.judge import Judge, Judgement, judge, judge_prompts, settled_judgement
from demur.programs.language_variants import fingerprint_in
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "judge"
JUDGED: Final = ("response_id", "judge", "asking")
"""Inputs that say which response is judged, by whom, and for which time."""
_OF_RESPONSE: Final = ("response_id", "item_id", "class", "intensity", "respondent")
KEY: Final = ReplyKey(NAME, ("question", "reference_answers", "response", "passages"), "judge")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    judge_program = Judge(plain=context.config.is_plain)
    codes = codes_version()
    rows = records(con, FOLDER / "landed.sql", [context.round_id])
    landed = {row["unit_id"]: (row["stamp"], row["readable"]) for row in rows}
    specs = judge_specs(context)
    parses = parses_codes(context.config)
    left_out = respondents_left_out(context, con)
    requests: Counter[bool] = Counter()
    judges = defaultdict(list)
    for judging in judgings(context.config):
        if judging.respondent in left_out:
            continue
        judges[judging.respondent].append((judging.judge, specs[judging.model]))
    for response in records(con, FOLDER / "plan.sql", [context.round_id]):
        answerable = response["expected"] == Code.ANSWER_CORRECTLY
        program = fingerprint_in(judge_program, language_of(response))
        settled = settled_judgement(
            response["response"],
            parses=parses,
            invalid_reason=response["invalid_reason"],
            refused_by_provider=bool(response["refused_by_provider"]),
        )
        requests[settled is None] += len(judges[response["respondent"]])
        for label, spec in judges[response["respondent"]]:
            of = {name: response[name] for name in _OF_RESPONSE} | {"judge": label}
            if settled is not None:
                yield planned_unit(
                    context, NAME, JUDGED, {**of, "response": response["response"], "settled": settled}, codes
                )
                continue
            inputs = {
                **of,
                "question": response["question"],
                "reference_answers": response["answers"] if answerable else [],
                "response": response["response"],
                "passages": passage_records(response["passages"]),
                **without_english({"language": response["language"]}),
            }
            yield _newest(context, landed, inputs, program, codes, spec.fingerprint)
    if saved := requests[False]:
        observer().notice(
            f"judge: {saved:,} of {requests.total():,} judgements need no request: the response is exactly one refusal "
            "code, or nothing counts (judge_codes: true asks all the same)"
        )


def _newest(
    context: RoundContext, landed: Mapping[str, tuple[str, bool]], inputs: dict[str, Any], *decisive: str
) -> PlannedUnit:
    """Return the unit that asks for a judgement, or a repetition of this unit.

    If the reply of the judge could not be read, the judgement is INVALID and can be asked for again: each run with
    `--again invalid` plans one repetition. A run without this option plans the newest repetition that has landed, also
    under other code: what was asked again stays. Only a judgement of this code tells whether its reply is readable.
    """
    unit = planned_unit(context, NAME, JUDGED, inputs, *decisive)
    for asking in count(2):
        following = planned_unit(context, NAME, JUDGED, {**inputs, "asking": asking}, *decisive)
        is_invalid = landed.get(unit.unit_id) == (unit.stamp, False)
        if following.unit_id not in landed and not (context.again and is_invalid):
            return unit
        unit = following
    raise AssertionError("a count has no end")


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    program = Judge(plain=context.config.is_plain)
    judges = labelled_judges(context.config)
    specs = judge_specs(context)

    async with open_models(list(specs.values()), "judge", keys_of(specs.values())) as models:

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            if "settled" in inputs:
                judgement = Judgement(**inputs["settled"])
            else:
                judgement = await judge(
                    program,
                    models[judges[inputs["judge"]]],
                    inputs["question"],
                    inputs["reference_answers"],
                    inputs["response"],
                    passages_of(inputs["passages"]),
                    language_of(inputs),
                )
            codes = [code.value for code in judgement.other_codes]
            row = {**unit.row(context.round_id, *_OF_RESPONSE, "judge"), **asdict(judgement), "other_codes": codes}
            return {"judgements": [row]}

        yield work


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    times = Counter(judging.model for judging in judgings(context.config))
    each = items(context, rates) * context.config.response_replicates
    if parses_codes(context.config):
        each *= 1 - rates.codes
    for spec in judge_specs(context).values():
        yield ModelLoad("judge", spec, each * times[spec.name], judge_prompts)


JUDGE: Final = Stage(NAME, "judgements", FOLDER, _plan, _open, ModelUse(judge_models, _loads, KEY))
