"""Models that do not answer: told at the start, or when they fall away; their units stay pending, none has failed."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from prefect import flow
from prefect.blocks.system import Secret

from demur.configuration.round_config import SHIPPED
from demur.configuration.secret_blocks import secret_block
from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext
from demur.engine.instances import passages_of
from demur.engine.stage import StageReport, run_stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.errors import ConfigError, ModelsDoNotAnswerError, StageStopped
from demur.flows.rounds.config_files import read_round_config
from demur.lanes.engine import open_models
from demur.lanes.simulator.faults import SimulatorFault, always, scripted
from demur.lanes.simulator.server import serve
from demur.programs.respondent import Respondent, respond
from demur.warehouse.connection import Connection, reading, writing
from demur.warehouse.home import Home
from tests.flows.rounds import base_inputs, landing_bases, write_config

pytestmark = pytest.mark.usefixtures("prefect_api")
UNITS, ANSWERED = 12, 6
KEY = "sk-planted-in-a-block-0123456789"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    for number in range(UNITS):
        text = f"Mill {number} was built in 18{number:02}."
        inputs = base_inputs(number, f"When was mill {number} built?", "a", text)
        yield planned_unit(context, "ingest", inputs)


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    specs = context.specs(("served",))
    async with open_models(specs, "respondent", keys_of(specs)) as models:
        program = Respondent()

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            await respond(program, models["served"], inputs["question"], passages_of(inputs["passages"]))
            return {"base_instances": [{**unit.key(context.round_id), **inputs}]}

        yield work


STAGE = landing_bases(_plan, _open, "served")


def _context(folder: Path, url: str, name: str = "test", **changes: Any) -> RoundContext:
    embedded = yaml.safe_load((SHIPPED / "rules.yaml").read_text(encoding="utf-8"))
    model = {
        "name": "served",
        "provider": "openai",
        "model": "respondent/lexical-overlap",
        "base_url": url,
        "parameters": {"max_tokens": 50},
        "limits": {"concurrency": 4, "retry_seconds": 2, "failures_in_a_row": 3},
    } | changes.pop("model", {})
    roles = embedded["roles"] | {"respondents": ["served"]}
    path = write_config(folder, models=[*embedded["models"], model], roles=roles, shard_size=10, **changes)
    home = Home(folder / "home")
    with writing(home, wait_seconds=1):
        pass
    return RoundContext(home, read_round_config(path), folder, name, 1)


def _run(context: RoundContext) -> StageReport:
    @flow(name="stage-under-test")
    def stage_flow() -> StageReport:
        return run_stage(context, STAGE)

    return stage_flow()


def _calls(context: RoundContext) -> list[tuple[str, str, int]]:
    with reading(context.home, "loader") as con:
        query = "SELECT stage, status, count(*) FROM calls GROUP BY ALL ORDER BY ALL"
        return [(str(stage), str(status), int(count)) for stage, status, count in con.execute(query).fetchall()]


def test_stage_whose_model_is_dead_begins_nothing_and_one_whose_model_falls_away_goes_on_later(tmp_path: Path) -> None:
    with serve(always(SimulatorFault.UNAUTHORISED)) as provider:
        context = _context(tmp_path, provider.openai_url)
        with pytest.raises(ModelsDoNotAnswerError) as caught:
            _run(context)
        assert _calls(context) == [("probe", "error", 1)] and len(provider.asked) == 1
        said = str(caught.value)
        assert "1 of 1 models do not answer" in said and "--no-probe" in said and "Is the key in" in said
        assert "models served (openai respondent/lexical-overlap): HTTP 401" in said

        provider.plan = lambda asked: SimulatorFault.DROPPED if asked.number > 2 + ANSWERED else None
        with pytest.raises(StageStopped, match="model 'served'.*does not answer") as stopped:
            _run(context)
        assert f"{UNITS - ANSWERED} units are left to do" in str(stopped.value)
        with reading(context.home, "loader") as con:
            [(failures,)] = con.execute("SELECT count(*) FROM failures").fetchall()
            [(landed,)] = con.execute("SELECT count(*) FROM base_instances").fetchall()
        assert (failures, landed) == (0, ANSWERED)

        provider.plan = scripted()
        before = len(provider.asked)
        assert _run(context) == StageReport("ingest", planned=UNITS, landed=UNITS, failed=0)
        assert len(provider.asked) - before == UNITS - ANSWERED, "those alone, and no probe again"
        _run(context)
        assert len(provider.asked) - before == UNITS - ANSWERED


def test_key_in_a_prefect_block_is_used_and_one_that_is_missing_is_told(tmp_path: Path) -> None:
    secret_block.cache_clear()
    Secret(value=KEY).save("simulator-key", overwrite=True)
    with serve() as provider:
        context = _context(tmp_path, provider.openai_url, model={"api_key_block": "simulator-key"})
        assert _run(context).landed == UNITS
        assert {asked.key for asked in provider.asked} == {KEY}
        missing = _context(tmp_path, provider.openai_url, "other", model={"api_key_block": "no-such-block"})
        with pytest.raises(ModelsDoNotAnswerError, match="api_key_block 'no-such-block' cannot be read from Prefect"):
            _run(missing)
        with pytest.raises(ConfigError, match="Save it"):
            keys_of(missing.specs(("served",)))
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []
