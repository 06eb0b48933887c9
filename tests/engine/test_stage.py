"""The stage engine: what lands, what is asked again, what is not."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from prefect import flow

from demur.engine.context import RoundContext
from demur.engine.instances import passages_of
from demur.engine.progress import Progress, observe, observer
from demur.engine.stage import Stage, StageReport, run_stage
from demur.engine.state.shared import shared_state
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.errors import StageStopped
from demur.flows.rounds.config_files import read_round_config
from demur.lanes.engine import open_models
from demur.programs.errors import LaneError
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import Connection, reading, writing
from demur.warehouse.home import Home
from tests.flows.rounds import base_inputs, landing_bases, write_config

pytestmark = pytest.mark.usefixtures("prefect_api")


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
            yield planned_unit(context, "ingest", inputs)

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


def test_stage_asks_for_new_units_alone_and_leaves_those_that_are_planned_no_more_out_of_the_live_view(
    context: RoundContext,
) -> None:
    assert run(context, 15) == StageReport("ingest", planned=15, landed=15, failed=0)
    assert count(context, "SELECT count(*) FROM calls WHERE status = 'ok'") == 15
    for units, asked in ((15, 15), (18, 18), (5, 18)):
        run(context, units)
        assert count(context, "SELECT count(*) FROM calls") == asked
        assert count(context, "SELECT count(*) FROM base_instances") == asked
        assert count(context, "SELECT count(DISTINCT base_id) FROM live_base_instances") == units


def test_stage_unit_fails_becomes_a_row_and_is_tried_again_by_the_next_run_not_asked(
    context: RoundContext,
) -> None:
    told: list[tuple[object, ...]] = []
    before = observer()

    class Heard(Progress):
        def failed(self, stage: str, reason: str, units: int = 1, unit: str | None = None) -> None:
            told.append((reason, units))

    observe(Heard())
    Failing.bases = frozenset({3})
    try:
        report = run(context, 60)
    finally:
        observe(before)
    assert (report.landed, report.failed) == (59, 1) and told == [("server", 1)]
    assert count(context, "SELECT count(*) FROM failures WHERE reason = 'server'") == 1
    Failing.bases = frozenset()
    assert run(context, 60).failed == 0
    assert count(context, "SELECT count(*) FROM base_instances") == 60 == count(context, "SELECT count(*) FROM calls")
    assert count(context, "SELECT count(*) FROM failures") == 0


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("unlandable", r"base_instances row 0 \(unit_id '\w+'\), column draw is 9223372036854775808: expected a whole"),
        ("stumbling", r"ValueError: Exceeds the limit for integer string conversion \(test_stage.py:\d+\)"),
    ],
)
def test_stage_answer_that_cannot_become_a_row_fails_its_unit_alone_and_is_asked_again(
    context: RoundContext, monkeypatch: pytest.MonkeyPatch, kind: str, why: str
) -> None:
    monkeypatch.setattr(Failing, kind, frozenset({3, 7}))
    tolerant = context.config.gates.model_copy(update={"failure_rate": 0.1})
    context = replace(context, config=context.config.model_copy(update={"gates": tolerant}))
    report = run(context, 60)
    assert (report.landed, report.failed) == (58, 2)
    with reading(context.home, "loader") as con:
        failures = con.execute("SELECT reason, detail, call_id IS NULL FROM failures").fetchall()
    assert [(reason, absent) for reason, _, absent in failures] == [("unreadable", False)] * 2
    assert all(re.search(why, detail) for _, detail, _ in failures)
    assert count(context, "SELECT count(*) FROM calls") == 60 + 2
    assert run(context, 60).failed == 2
    assert count(context, "SELECT count(*) FROM calls") == 60 + 2 + 4, "asked again, not replayed"
    monkeypatch.setattr(Failing, kind, frozenset())
    assert run(context, 60).landed == 60
    assert count(context, "SELECT count(*) FROM calls") == 60 + 2 + 4 + 2
    assert count(context, "SELECT count(*) FROM failures") == 0


def test_stage_too_many_failures_stops_with_the_bound_and_keeps_what_landed(context: RoundContext) -> None:
    Failing.bases = frozenset(range(5))
    with pytest.raises(StageStopped, match=r"5 of 30 units failed, more than gates.failure_rate 0.02 allows") as caught:
        run(context, 30)
    assert "allows: 5 server, e.g. 'the provider is away'. " in str(caught.value)
    Failing.bases = frozenset()
    assert run(context, 30).landed == 30
    assert count(context, "SELECT count(*) FROM calls") == 30


def test_stage_killed_after_the_journal_uses_its_answers(context: RoundContext, tmp_path: Path) -> None:
    """What a journal holds was answered and paid for, although its shard never landed."""
    run(context, 10)
    with reading(context.home, "loader") as con:
        calls = con.execute("SELECT * FROM calls").df().to_dict("records")
    fresh = RoundContext(Home(tmp_path / "other"), context.config, context.folder, context.round_id, context.seed)
    with writing(fresh.home, wait_seconds=1):
        pass
    state = shared_state(fresh.home)
    lines = b"".join(json.dumps(_as_journalled(call)).encode() + b"\n" for call in calls)
    group = {"opened": "of the killed process", "number": 0, "lines": lines}
    state.database.write("record", {**state._of("test", "ingest", "000000-00000000"), **group})
    run(fresh, 10)
    assert count(fresh, "SELECT count(*) FROM base_instances") == 10
    assert count(fresh, "SELECT count(*) FROM calls") == 10
    assert state.answered("test", "ingest", "000000-00000000") == {}


def _as_journalled(call: dict[str, object]) -> dict[str, object]:
    def plain(value: object) -> object:
        if hasattr(value, "isoformat"):
            return value.isoformat() + "+00:00"
        if hasattr(value, "item"):
            value = value.item()
        return None if value != value else value

    return {name: plain(value) for name, value in call.items()}
