"""The stage deduplicate finds perturbations that repeat another perturbation of the round or an item of a release.

It comes before verification and asks no model. A unit compares all perturbations of one base instance. The result
therefore depends neither on the order of the units nor on interruptions.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.flows.stages.volumes import check_row
from demur.levers.instances import base_of, passage_records, perturbation_of, without_english
from demur.programs.checks.duplicates import Made, distinct
from demur.programs.installation import checks_version
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "deduplicate"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    for base in records(con, FOLDER / "plan.sql", [context.round_id]):
        inputs = {**without_english(base), "passages": passage_records(base["passages"])}
        yield planned_unit(context, NAME, ("base_id",), inputs, checks_version())


def _rows(context: RoundContext, unit: Unit) -> Rows:
    made = {row["perturbation_id"]: row for row in unit.inputs["made"]}
    compared = [
        Made(
            perturbation_id=perturbation_id,
            perturbation=perturbation_of(row["question"], row["changed"], row["lever"]),
            content_key=row["content_key"],
            released_as=row["released_as"],
        )
        for perturbation_id, row in made.items()
    ]
    return {
        "checks": [
            check_row(unit.key(context.round_id), one.perturbation_id, made[one.perturbation_id], result)
            for one, result in distinct(base_of(unit.inputs), compared)
        ]
    }


DEDUPLICATE: Final = Stage(NAME, "checks", FOLDER, _plan, WithoutModels(_rows))
