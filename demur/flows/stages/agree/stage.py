"""Agree: what the verdicts of a round add up to on matched cells, after every verifier has been asked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.programs.code_version import scoring_version
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "agree"
COLUMNS: Final = ("perturbation_id", "source_id", "class", "intensity", "generator", "verifier", "passed")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit, with all verdicts that count as its input."""
    rows = [[row[column] for column in COLUMNS] for row in records(con, FOLDER / "plan.sql", [context.round_id])]
    if rows:
        roles = context.config.roles
        inputs = {
            "replicates": context.config.score_replicates,
            "seed": context.number(NAME),
            "generators": roles.generators,
            "verifiers": roles.verifiers,
            "short_circuit": context.config.verification.short_circuit,
            "rows": rows,
        }
        yield planned_unit(context, NAME, inputs, scoring_version())


def _rows(context: RoundContext, unit: Unit) -> Rows:
    import pandas as pd

    from demur.scoring.rows.responses import Bootstrap
    from demur.scoring.rows.verdicts import agreement_rows

    inputs = unit.inputs
    frame = pd.DataFrame(inputs["rows"], columns=list(COLUMNS))
    how = Bootstrap(inputs["replicates"], inputs["seed"])
    tables = agreement_rows(
        frame, inputs["generators"], inputs["verifiers"], how, stopped_early=inputs["short_circuit"]
    )
    key = unit.key(context.round_id)
    return {table: [{**key, **row} for row in rows] for table, rows in tables.items() if rows}


AGREE: Final = Stage(NAME, "verifications", FOLDER, _plan, WithoutModels(_rows))
