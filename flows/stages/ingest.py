"""Ingest: from a corpus to the base instances of a round, screened by models that must answer them unperturbed.

Bases are drawn in waves: as many as the round wants, then, for those that a screener missed, more of the draw. What a
screener answered is never used again; controls are asked afresh.
"""

import math
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from demur.flows.context import RoundContext, patient_reading
from demur.flows.corpora.draw import Draw, draw_order, drawn_rows
from demur.flows.errors import StageStopped
from demur.flows.payload import PlannedUnit, base_of, passage_records, planned_unit
from demur.flows.progress import observer
from demur.flows.settings import keys_of
from demur.flows.shard import Rows, Unit, UnitWork
from demur.flows.stage import Stage, StageReport, run_stage
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.judge import Judge, judge
from demur.programs.lanes.factory import open_models
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

LOWEST_SOLVE_RATE = 0.2
"""A wave is never sized as if fewer bases than this passed the screen; further waves follow where they do."""


def ingest_stage(draw: Draw, drawn: Mapping[str | None, int]) -> Stage:
    """Return the stage that lands the first base instances of a draw, so many of each domain."""

    def plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
        places = draw.first(drawn)
        rows = drawn_rows(context, places.keys())
        for base_id, number in places.items():
            row = rows[base_id]
            inputs = {
                "base_id": base_id,
                "source_id": row.source_id,
                "draw": number,
                "layout": row.layout.value,
                "domain": row.domain,
                "title": row.title,
                "question": row.question,
                "answers": list(row.answers),
                "passages": [
                    {"index": index, "text": p.text, "relevant": p.relevant, "title": p.title}
                    for index, p in enumerate(row.passages)
                ],
            }
            yield planned_unit(context, "ingest", inputs)

    return Stage("ingest", "base_instances", plan, _land_bases)


@asynccontextmanager
async def _land_bases(context: RoundContext) -> AsyncIterator[UnitWork]:
    async def work(unit: Unit) -> Rows:
        return {"base_instances": [{**unit.key(context.round_id), **unit.inputs}]}

    yield work


def _plan_screen(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    programs = fingerprint(Respondent(context.config.response_prompts[0])), fingerprint(Judge())
    judge = context.config.model_spec(context.config.roles.judges[0])
    for base in records(con, "plan_screen", [context.round_id]):
        for screener in context.specs(context.config.roles.screeners):
            inputs: dict[str, Any] = {
                **base,
                "passages": passage_records(base["passages"]),
                "screener": screener.name,
            }
            yield planned_unit(context, "screen", inputs, *programs, screener.fingerprint, judge.fingerprint)


@asynccontextmanager
async def _open_screen(context: RoundContext) -> AsyncIterator[UnitWork]:
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


SCREEN = Stage(
    "screen",
    "screenings",
    _plan_screen,
    _open_screen,
    lambda context: (*context.config.roles.screeners, *context.config.roles.judges[:1]),
)


def run_ingest(context: RoundContext) -> int:
    """Land and screen base instances until the round has enough, and return how many it has.

    Raises:
        CorpusError, ConfigError: the corpus cannot serve this round; nothing was bought.
        StageStopped: not one base instance of the corpus was solved.
    """
    with patient_reading(context) as con:
        draw = draw_order(context, con)
    drawn, available = dict(draw.wanted), draw.available
    while True:
        run_stage(context, ingest_stage(draw, drawn))
        screened = run_stage(context, SCREEN)
        solved = _count_solved(context, draw)
        short = [d for d, wanted in draw.wanted.items() if solved[d] < wanted and drawn[d] < available[d]]
        if not short:
            break
        for domain in short:
            rate = max(solved[domain] / drawn[domain], LOWEST_SOLVE_RATE)
            more = math.ceil((draw.wanted[domain] - solved[domain]) / rate)
            drawn[domain] = min(available[domain], drawn[domain] + more)
    if not solved.total():
        raise StageStopped(
            f"screen: none of {sum(drawn.values())} base instances was answered correctly by all of "
            f"roles.screeners {', '.join(context.config.roles.screeners)}. {_remedy(screened)}"
        )
    for domain, wanted in draw.wanted.items():
        if solved[domain] < wanted:
            setting = "bases" if domain is None else f"corpus.domains.{domain}"
            observer().waiting(
                f"screen: the whole corpus gave {solved[domain]} solved base instances; {setting}: {wanted} were wanted"
            )
    return sum(min(solved[domain], wanted) for domain, wanted in draw.wanted.items())


def _remedy(screened: StageReport) -> str:
    """What to do where nothing was solved: it may be that nobody answered."""
    if not screened.failed:
        return "Use other screeners, or none: []"
    return (
        f'{screened.failed} units ended without an answer: `demur sql "SELECT reason, count(*) FROM live_failures '
        "WHERE stage = 'screen' GROUP BY 1\"` says why, and the same command asks them again"
    )


def _count_solved(context: RoundContext, draw: Draw) -> Counter[str | None]:
    """Solved base instances by domain, as the draw tells domains apart."""
    with patient_reading(context) as con:
        rows = list(records(con, "count_solved", [context.round_id]))
    solved: Counter[str | None] = Counter()
    for row in rows:
        solved[None if None in draw.wanted else row["domain"]] += row["solved"]
    return solved
