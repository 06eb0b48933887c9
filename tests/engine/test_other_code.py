"""A stage goes on under other code: what is computed again from stored answers, and what is asked again."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from prefect import flow

from demur.engine.context import RoundContext
from demur.engine.models import ModelUse
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage, StageReport, run_stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.errors import StageStopped
from demur.lanes.engine import open_models
from demur.lanes.simulator.server import serve
from demur.levers.instances import passages_of
from demur.programs.errors import LaneError
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import reading
from demur.warehouse.transactions import Connection
from tests.flows.capped import Bill, capped
from tests.flows.messages import messages
from tests.flows.rounds import base_inputs, landing_bases

pytestmark = pytest.mark.usefixtures("prefect_api")

UNITS, REPLICATES, TIMES = 24, 3, 2
KEY = ReplyKey("ingest", ("question",), "")
ANSWERS = "SELECT count(*) FROM calls WHERE status = 'ok' AND role <> 'probe'"


@dataclass
class Code:
    """The code of a stage: its version, how it words prompts, after how many answers it fails or dies."""

    version: str = "one"
    wording: str = "When was"
    fails_after: int | None = None
    dies_after: int | None = None


def the_stage(code: Code) -> Stage:
    """A stage whose units ask the served model twice, several the very same; each lands one base instance."""
    answered: list[str] = []

    def plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
        for number in range(UNITS):
            about = number // REPLICATES
            text = f"The lighthouse number {about} was built in {1800 + about}."
            inputs = base_inputs(number, f"{about}", str(1800 + about), text)
            yield planned_unit(context, "ingest", ("base_id",), inputs, code.version)

    @asynccontextmanager
    async def opened(context: RoundContext) -> AsyncIterator[UnitWork]:
        async with open_models(context.specs(("served",)), "respondent", {}) as models:
            program = Respondent()

            async def work(unit: Unit) -> Rows:
                inputs = unit.inputs
                asked = f"{code.wording} the lighthouse number {inputs['question']} built?"
                for _ in range(TIMES):
                    answer = await respond(program, models["served"], asked, passages_of(inputs["passages"]))
                    answered.append(answer.text)
                    if code.fails_after is not None and len(answered) > code.fails_after:
                        raise LaneError("the provider is away", kind="server")
                    if code.dies_after is not None and len(answered) > code.dies_after:
                        raise OSError("the process dies here: what it stored stays, what it made does not land")
                return {"base_instances": [{**unit.key(context.round_id), **inputs, "title": answer.text}]}

            yield work

    use = ModelUse(lambda context: ("served",), lambda context, rates: iter(()), KEY)
    return replace(landing_bases(plan, opened), use=use)


def run(context: RoundContext, code: Code) -> StageReport:
    @flow(name="stage-under-test")
    def stage_flow() -> StageReport:
        return run_stage(context, the_stage(code))

    return stage_flow()


def found(context: RoundContext, query: str) -> list[tuple[Any, ...]]:
    with reading(context.home, "loader") as con:
        return con.execute(query).fetchall()


def number(context: RoundContext, query: str) -> float:
    return float(found(context, query)[0][0])


@pytest.fixture
def provider() -> Iterator[Any]:
    with serve() as simulator:
        yield simulator


def context_of(folder: Path, provider: Any) -> RoundContext:
    return capped(folder, provider.openai_url, None)


def bought(provider: Any) -> int:
    """Return how many answers the provider was asked for, probes apart."""
    return sum("lighthouse" in json.dumps(asked.body) for asked in provider.asked)


def counted(context: RoundContext) -> float:
    return number(context, "SELECT coalesce(sum(counted_usd), 0) FROM spending")


def test_stage_stopped_and_upgraded_asks_only_for_what_was_never_answered(tmp_path: Path, provider: Any) -> None:
    context, bill = context_of(tmp_path, provider), Bill(provider)
    with pytest.raises(StageStopped, match="gates.failure_rate"):
        run(context, Code(fails_after=15))
    assert 15 < bought(provider) < UNITS * TIMES
    assert run(context, Code("two")) == StageReport("ingest", planned=UNITS, landed=UNITS, failed=0)
    assert bought(provider) == UNITS * TIMES == number(context, ANSWERS)
    assert counted(context) == pytest.approx(bill.usd)
    assert number(context, "SELECT count(DISTINCT title) FROM live_base_instances") == UNITS // REPLICATES
    for dies_after in (5, 25):
        with pytest.raises(OSError, match="dies here"):
            run(context, Code("three", dies_after=dies_after))
    with messages() as told:
        assert run(context, Code("three")).landed == UNITS
    [kept] = [one for one in told if one.endswith("of these units are kept and not requested again")]
    assert 0 < int(kept.split()[3]) <= UNITS, "answers whose rows did not land are no loss, and that is said"
    assert bought(provider) == UNITS * TIMES == number(context, ANSWERS)


def test_finished_stage_under_other_code_replaces_its_rows_and_asks_for_nothing(tmp_path: Path, provider: Any) -> None:
    context = context_of(tmp_path, provider)
    run(context, Code())
    units = "SELECT count(*), count(DISTINCT unit_id), min(stamp), max(stamp) FROM base_instances"
    [(rows, different, stamp, _)] = found(context, units)
    assert run(context, Code("two")).landed == rows == different == UNITS
    [(rows, different, least, most)] = found(context, units)
    assert rows == different == UNITS and stamp not in (least, most)
    assert bought(provider) == UNITS * TIMES == number(context, ANSWERS)


def test_stage_of_a_lost_warehouse_is_computed_again_and_asks_for_nothing(tmp_path: Path, provider: Any) -> None:
    context = context_of(tmp_path, provider)
    run(context, Code())
    calls = set(found(context, "SELECT call_id, unit_id, cost_usd FROM calls"))
    context.home.loader.unlink()
    context.home.published.unlink(missing_ok=True)
    assert run(context, Code()) == StageReport("ingest", planned=UNITS, landed=UNITS, failed=0)
    assert bought(provider) == UNITS * TIMES
    assert set(found(context, "SELECT call_id, unit_id, cost_usd FROM calls")) == calls


def test_stage_with_other_prompts_or_another_model_buys_again(tmp_path: Path, provider: Any) -> None:
    context = context_of(tmp_path, provider)
    run(context, Code())
    run(context, Code("two", wording="In which year was"))
    assert bought(provider) == 2 * UNITS * TIMES
    served, *others = context.config.models
    warmer = served.model_copy(update={"parameters": {**served.parameters, "temperature": 0.7}})
    changed = replace(context, config=context.config.model_copy(update={"models": (warmer, *others)}))
    run(changed, Code("three"))
    assert bought(provider) == 3 * UNITS * TIMES, "the same name, and another model behind it"
