"""The stage engine: what lands, what is asked again, what is not."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from prefect import flow

from demur.engine.context import RoundContext
from demur.engine.logs import observe, observer
from demur.engine.progress_events import Progress
from demur.engine.stage import Stage, StageReport, run_stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.errors import StageStopped
from demur.flows.rounds.request import read_round_config
from demur.lanes.engine import open_models
from demur.levers.instances import passages_of
from demur.programs.errors import LaneError
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.transactions import Connection
from tests.flows.rounds import base_inputs, landing_bases, write_config

pytestmark = pytest.mark.usefixtures("prefect_api")
UNREADABLE = (
    r"ValueError: Exceeds the limit for integer string conversion \(test_stage.py:\d+\)",
    r"base_instances row 0 \(unit_id '\w+'\), column draw is 9223372036854775808: expected a whole",
)


class Failing:
    """Which bases fail, and which are answered so that rows cannot land or code stumbles; changed between runs."""

    bases: frozenset[int] = frozenset()
    unlandable: frozenset[int] = frozenset()
    stumbling: frozenset[int] = frozenset()


def the_stage(units: int) -> Stage:
    """A stage whose units ask one baseline respondent and land one base instance each."""

    def plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
        for number in range(units):
            inputs = base_inputs(number, f"What is number {number}?", "a", f"Number {number} is a.")
            yield planned_unit(context, "ingest", ("base_id",), inputs)

    @asynccontextmanager
    async def opened(context: RoundContext) -> AsyncIterator[UnitWork]:
        async with open_models(context.specs(("always-refuses",)), "respondent", {}) as models:
            program = Respondent()

            async def work(unit: Unit) -> Rows:
                await respond(
                    program, models["always-refuses"], unit.inputs["question"], passages_of(unit.inputs["passages"])
                )
                if unit.inputs["draw"] in Failing.bases:
                    raise LaneError("the provider is away", kind="server", retryable=True)
                if unit.inputs["draw"] in Failing.stumbling:
                    raise ValueError("Exceeds the limit for integer string conversion")
                row = {**unit.key(context.round_id), **unit.inputs}
                if unit.inputs["draw"] in Failing.unlandable:
                    row["draw"] = 2**63
                return {"base_instances": [row]}

            yield work

    return landing_bases(plan, opened, "always-refuses")


@pytest.fixture
def context(tmp_path: Path) -> RoundContext:
    Failing.bases = Failing.unlandable = Failing.stumbling = frozenset()
    path = write_config(tmp_path, shard_size=10)
    home = Home(tmp_path / "home")
    with writing(home, wait_seconds=1):
        pass
    return RoundContext(home, read_round_config(path), tmp_path, "test", 1)


def run(context: RoundContext, units: int) -> StageReport:
    @flow(name="stage-under-test")
    def stage_flow() -> StageReport:
        return run_stage(context, the_stage(units))

    return stage_flow()


def count(context: RoundContext, query: str) -> int:
    with reading(context.home, "loader") as con:
        return int(con.execute(query).fetchall()[0][0])


def test_stage_units_that_fail_are_rows_alone_and_tried_again_and_only_new_units_are_asked(
    context: RoundContext,
) -> None:
    told: list[tuple[object, ...]] = []
    before = observer()

    class Heard(Progress):
        def failed(self, stage: str, reason: str, units: int = 1, unit: str | None = None) -> None:
            told.append((reason, units))

    observe(Heard())
    Failing.bases, Failing.unlandable, Failing.stumbling = frozenset({3}), frozenset({5}), frozenset({7})
    tolerant = context.config.gates.model_copy(update={"failure_rate": 0.5})
    context = replace(context, config=context.config.model_copy(update={"gates": tolerant}))
    try:
        assert run(context, 12) == StageReport("ingest", planned=12, landed=9, failed=3)
    finally:
        observe(before)
    assert sorted(told) == [("server", 1), ("unreadable", 1), ("unreadable", 1)]
    with reading(context.home, "loader") as con:
        failures = con.execute("SELECT reason, call_id IS NULL, detail FROM failures ORDER BY ALL").fetchall()
    assert [(reason, absent) for reason, absent, _ in failures] == [("server", False)] + [("unreadable", False)] * 2
    for (_, _, detail), why in zip(failures[1:], UNREADABLE, strict=True):
        assert re.search(why, detail)
    assert count(context, "SELECT count(*) FROM calls") == 12 + 2, "what no row can be made of is asked again at once"
    Failing.bases = Failing.unlandable = Failing.stumbling = frozenset()
    for units, landed in ((14, 14), (5, 14)):
        assert run(context, units) == StageReport("ingest", planned=units, landed=units, failed=0)
        assert count(context, "SELECT count(*) FROM calls") == 14 + 2 + 2, "two are new, two were not readable"
        assert count(context, "SELECT count(*) FROM failures") == 0
        assert count(context, "SELECT count(*) FROM base_instances") == landed
        assert count(context, "SELECT count(DISTINCT base_id) FROM live_base_instances") == units


def test_stage_too_many_failures_stops_with_the_bound_and_keeps_what_landed(context: RoundContext) -> None:
    Failing.bases = frozenset(range(5))
    with pytest.raises(StageStopped, match=r"5 of 10 units failed, more than gates.failure_rate 0.02 allows") as caught:
        run(context, 10)
    assert "allows: 5 server, e.g. 'the provider is away'. " in str(caught.value)
    assert count(context, "SELECT count(*) FROM base_instances") == 5
    assert count(context, "SELECT count(*) FROM calls") == 10
