"""The stage read stores the lines of a file that a model will grade or judge."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "read"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    assert context.file_given is not None
    for line in context.file_given.lines:
        yield planned_unit(context, NAME, ("line",), line)


def _rows(context: RoundContext, unit: Unit) -> Rows:
    return {"file_lines": [{**unit.key(context.round_id), **unit.inputs}]}


READ: Final = Stage(NAME, "file_lines", FOLDER, _plan, WithoutModels(_rows))
