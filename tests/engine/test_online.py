"""A stage whose units come one at a time: what is left of a unit that is asked for again under other code."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from demur.engine.context import RoundContext
from demur.engine.online import open_online
from demur.engine.round_lock import round_lock
from demur.engine.units import Rows, Unit, UnitWork, planned_unit
from demur.programs.errors import ReplyError
from demur.warehouse.connection import reading
from tests.flows.capped import capped
from tests.flows.rounds import base_inputs, landing_bases


def ask(context: RoundContext, version: str, *, is_readable: bool) -> None:
    """Ask an online stage for one unit under a version of code, and close the stage."""

    @asynccontextmanager
    async def opened(context: RoundContext) -> AsyncIterator[UnitWork]:
        async def work(unit: Unit) -> Rows:
            if not is_readable:
                raise ReplyError("no JSON", reply="none")
            return {"base_instances": [{**unit.key(context.round_id), **unit.inputs, "title": version}]}

        yield work

    async def asked() -> None:
        async with open_online(context, landing_bases(lambda context, con: iter(()), opened)) as online:
            await online.rows_of(planned_unit(context, "ingest", ("base_id",), base_inputs(0, "q", "1", "t"), version))

    with round_lock(context.home, context.round_id):
        asyncio.run(asked())


def test_unit_that_fails_under_other_code_keeps_its_failure_and_lands_later(tmp_path: Path) -> None:
    context = capped(tmp_path, "http://127.0.0.1:9", None)
    ask(context, "one", is_readable=True)
    with pytest.raises(ReplyError):
        ask(context, "two", is_readable=False)
    left = "SELECT (SELECT list(title) FROM live_base_instances), (SELECT count(*) FROM failures)"
    with reading(context.home, "loader") as con:
        assert con.execute(left).fetchall() == [(None, 1)]
    ask(context, "two", is_readable=True)
    with reading(context.home, "loader") as con:
        assert con.execute(left).fetchall() == [(["two"], 0)]
