"""The stage agree computes how far the verdicts of the round's verifiers agree.

It uses the pairs of a base instance and a stratum for which every generator has a candidate, and every candidate has a
verdict of every verifier.
"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext, loader_reading
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.programs.installation import scoring_version
from demur.warehouse.statements import RowSet, named_frame, row_set
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "agree"
_ROWS: Final = FOLDER / "plan.sql"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit. Its inputs have a digest of all verdicts that are compared."""
    verdicts = row_set(con, _ROWS, [context.round_id])
    if verdicts.rows:
        roles = context.config.roles
        inputs = {
            "replicates": context.config.score_replicates,
            "seed": context.number(NAME),
            "generators": roles.generators,
            "verifiers": roles.verifiers,
            "short_circuit": context.config.verification.short_circuit,
            "verdicts": asdict(verdicts),
        }
        yield planned_unit(context, NAME, (), inputs, scoring_version())


def _rows(context: RoundContext, unit: Unit) -> Rows:
    from demur.scoring.table_rows import Bootstrap, agreement_rows

    inputs = unit.inputs
    with loader_reading(context) as con:
        frame = named_frame(con, _ROWS, [context.round_id], RowSet(**inputs["verdicts"]))
    how = Bootstrap(inputs["replicates"], inputs["seed"])
    tables = agreement_rows(
        frame, inputs["generators"], inputs["verifiers"], how, stopped_early=inputs["short_circuit"]
    )
    key = unit.key(context.round_id)
    return {table: [{**key, **row} for row in rows] for table, rows in tables.items() if rows}


AGREE: Final = Stage(NAME, "verifications", FOLDER, _plan, WithoutModels(_rows))
