"""The stage unpack stores the base instances and items of the release that is evaluated, or of a sample of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.flows.stages.responses.release_items import asked_items, released_items
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "unpack"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit for each item of the sample. The unit of a base instance's first item has the base too."""
    assert context.release is not None
    places: dict[str, int] = {}
    for item in released_items(context.release):
        places.setdefault(item.base_id, len(places))
    seen: set[str] = set()
    for item in asked_items(context):
        base = None if item.base_id in seen else item.base_row(places[item.base_id])
        seen.add(item.base_id)
        inputs = {"item_id": item.id, "item": item.row(), "base": base}
        yield planned_unit(context, NAME, ("item_id",), inputs, stratum=item.row())


def _rows(context: RoundContext, unit: Unit) -> Rows:
    key = unit.key(context.round_id)
    base = unit.inputs["base"]
    bases = {} if base is None else {"base_instances": [{**base, **key}]}
    return {"items": [{**unit.inputs["item"], **key}], **bases}


UNPACK: Final = Stage(NAME, "items", FOLDER, _plan, WithoutModels(_rows))
