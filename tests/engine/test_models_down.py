"""Models that do not answer: told at the start, or when they fall away; their units stay pending, none has failed."""

from pathlib import Path
from typing import Any

import pytest
from prefect.blocks.system import Secret

from demur.configuration.settings import keys_of, secret_block
from demur.engine.context import RoundContext
from demur.engine.stage import StageReport
from demur.errors import ConfigError, ModelsDoNotAnswerError, StageStopped
from demur.lanes.simulator.faults import SimulatorFault, always, scripted
from demur.lanes.simulator.server import serve
from demur.warehouse.connection import reading
from tests.flows.capped import capped, run

pytestmark = pytest.mark.usefixtures("prefect_api")
UNITS, ANSWERED = 12, 6
KEY = "sk-planted-in-a-block-0123456789"


def _context(folder: Path, url: str, **changes: Any) -> RoundContext:
    return capped(folder, url, None, limits={"retry_seconds": 2, "failures_in_a_row": 3}, **changes)


def _calls(context: RoundContext) -> list[tuple[str, str, int]]:
    with reading(context.home, "loader") as con:
        query = "SELECT stage, status, count(*) FROM calls GROUP BY ALL ORDER BY ALL"
        return [(str(stage), str(status), int(count)) for stage, status, count in con.execute(query).fetchall()]


def test_stage_whose_model_is_dead_begins_nothing_and_one_whose_model_falls_away_goes_on_later(tmp_path: Path) -> None:
    with serve(always(SimulatorFault.UNAUTHORISED)) as provider:
        context = _context(tmp_path, provider.openai_url)
        with pytest.raises(ModelsDoNotAnswerError) as caught:
            run(context, UNITS)
        assert _calls(context) == [("probe", "error", 1)] and len(provider.asked) == 1
        said = str(caught.value)
        assert "1 of 1 models do not answer" in said and "--no-probe" in said and "Is the key in" in said
        assert "models served (openai respondent/lexical-overlap): HTTP 401" in said

        provider.plan = lambda asked: SimulatorFault.DROPPED if asked.number > 2 + ANSWERED else None
        with pytest.raises(StageStopped, match="model 'served'.*does not answer") as stopped:
            run(context, UNITS)
        assert f"{UNITS - ANSWERED} units are left to do" in str(stopped.value)
        with reading(context.home, "loader") as con:
            [(failures,)] = con.execute("SELECT count(*) FROM failures").fetchall()
            [(landed,)] = con.execute("SELECT count(*) FROM base_instances").fetchall()
        assert (failures, landed) == (0, ANSWERED)

        provider.plan = scripted()
        before = len(provider.asked)
        assert run(context, UNITS) == StageReport("ingest", planned=UNITS, landed=UNITS, failed=0)
        assert len(provider.asked) - before == UNITS - ANSWERED, "those alone, and no probe again"
        run(context, UNITS)
        assert len(provider.asked) - before == UNITS - ANSWERED


def test_key_in_a_prefect_block_is_used_and_one_that_is_missing_is_told(tmp_path: Path) -> None:
    secret_block.cache_clear()
    Secret(value=KEY).save("simulator-key", overwrite=True)
    with serve() as provider:
        context = _context(tmp_path, provider.openai_url, model={"api_key_block": "simulator-key"})
        assert run(context, UNITS).landed == UNITS
        assert {asked.key for asked in provider.asked} == {KEY}
        missing = _context(tmp_path / "other", provider.openai_url, model={"api_key_block": "no-such-block"})
        with pytest.raises(ModelsDoNotAnswerError, match="api_key_block 'no-such-block' cannot be read from Prefect"):
            run(missing, UNITS)
        with pytest.raises(ConfigError, match="Save it"):
            keys_of(missing.specs(("served",)))
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []
