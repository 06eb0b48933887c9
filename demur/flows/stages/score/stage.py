"""Score: every metric with its interval, pairs of respondents, what scores depend on, from a round's judgements."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from demur.configuration.labels import labelled_respondents
from demur.engine.context import RoundContext
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.flows.stages.score.earlier_rounds import earlier_responses
from demur.programs.code_version import scoring_version
from demur.scoring.rows import SEED
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "score"
COLUMNS: Final = (
    "item_id",
    "source_id",
    "class",
    "intensity",
    "expected",
    "predicted",
    "correct",
    "confidence",
    "eligible",
    "supported_all",
    "supported_relevant",
    "model",
    "kind",
    "judge",
    "replicate",
    "layout",
    "domain",
    "language",
    "lever_id",
    "weight",
    "in_pair",
    "memory",
    "second_defect",
)


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit; its inputs are judged responses, tags of respondents, and responses of earlier rounds."""
    rows = [[row[column] for column in COLUMNS] for row in records(con, FOLDER / "plan.sql", [context.round_id])]
    if rows:
        bootstrap = {"replicates": context.config.score_replicates, "seed": SEED}
        inputs: dict[str, object] = {**bootstrap, "rows": rows}
        if tags := respondent_tags(context):
            inputs["tags"] = tags
        if earlier := earlier_responses(context, con):
            inputs["earlier"] = earlier
        yield planned_unit(context, NAME, inputs, scoring_version())


def respondent_tags(context: RoundContext) -> dict[str, dict[str, float | str]]:
    """Return what the configuration says of respondents: by tag, the number or group of each that has it."""
    found: dict[str, dict[str, float | str]] = {}
    specs = {spec.name: spec for spec in context.specs(context.config.roles.respondents)}
    for label, respondent in labelled_respondents(context.config).items():
        for tag, value in specs[respondent.model].factors.items():
            found.setdefault(tag, {})[label] = value
    return found


def _rows(context: RoundContext, unit: Unit) -> Rows:
    import pandas as pd

    from demur.scoring.rows.drift import drift_rows
    from demur.scoring.rows.responses import Bootstrap, scored_rows

    frame = pd.DataFrame(unit.inputs["rows"], columns=list(COLUMNS))
    how = Bootstrap(unit.inputs["replicates"], unit.inputs["seed"])
    tables = scored_rows(frame, how, unit.inputs.get("tags", {}))
    tables["drifts"] = list(drift_rows(frame, unit.inputs.get("earlier", {}), how))
    key = unit.key(context.round_id)
    return {table: [{**key, **row} for row in rows] for table, rows in tables.items() if rows}


SCORE: Final = Stage(NAME, "scores", FOLDER, _plan, WithoutModels(_rows))
