"""Agree: what the verdicts of a round add up to on matched cells, after every verifier has been asked."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Final

from demur.flows.context import RoundContext
from demur.flows.payload import PlannedUnit, planned_unit
from demur.flows.shard import Rows, Unit, UnitWork
from demur.flows.stage import Stage
from demur.flows.versions import scoring_version
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

COLUMNS: Final = ("perturbation_id", "source_id", "class", "intensity", "generator", "verifier", "passed")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """One unit, with all verdicts that count as its input."""
    rows = [[row[column] for column in COLUMNS] for row in records(con, "plan_agree", [context.round_id])]
    if rows:
        roles = context.config.roles
        inputs = {
            "replicates": context.config.score_replicates,
            "seed": context.number("agree"),
            "generators": roles.generators,
            "verifiers": roles.verifiers,
            "short_circuit": context.config.verification.short_circuit,
            "rows": rows,
        }
        yield planned_unit(context, "agree", inputs, scoring_version())


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    import pandas as pd

    from demur.flows.scored import Bootstrap
    from demur.flows.stages.agreed import agreed_rows

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        frame = pd.DataFrame(inputs["rows"], columns=list(COLUMNS))
        how = Bootstrap(inputs["replicates"], inputs["seed"])
        tables = agreed_rows(
            frame, inputs["generators"], inputs["verifiers"], how, stopped_early=inputs["short_circuit"]
        )
        key = unit.key(context.round_id)
        return {table: [{**key, **row} for row in rows] for table, rows in tables.items() if rows}

    yield work


AGREE = Stage("agree", "verifications", _plan, _open)
