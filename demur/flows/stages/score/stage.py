"""Score: every metric with its interval, pairs of respondents, what scores depend on, from a round's judgements."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from demur.configuration.labels import labelled_respondents
from demur.engine.context import RoundContext
from demur.engine.judges import judge_specs
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.lanes.spec import ModelSpec
from demur.plugins import Kind, required
from demur.programs.code_version import scoring_version
from demur.scoring.rows import SEED
from demur.scoring.rows.drift import COMPARED
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

_FOLDER: Final = Path(__file__).parent


def earlier_responses(context: RoundContext, con: Connection) -> dict[str, list[list[Any]]]:
    """Return judged responses, with the columns COMPARED, of the round before this one and of the first one, by round.

    Only those of respondents and judges that are, by their fingerprints, the same models in both rounds; a round
    without any is left out.
    """
    found: dict[str, list[list[Any]]] = {}
    named = {label: respondent.model for label, respondent in labelled_respondents(context.config).items()}
    answering = dict(zip(named, context.specs(tuple(named.values())), strict=True))
    rounds = [str(row["round_id"]) for row in records(con, _FOLDER / "earlier_rounds.sql", [context.round_id])]
    for earlier in dict.fromkeys((*rounds[:1], *rounds[-1:])):
        respondents = _same(con, earlier, "respondent", answering)
        judges = _same(con, earlier, "judge", judge_specs(context))
        rows = [
            [response[column] for column in COMPARED]
            for response in records(con, _FOLDER / "plan.sql", [earlier])
            if response["model"] in respondents and response["judge"] in judges
        ]
        if rows:
            found[earlier] = rows
    return found


def _same(con: Connection, earlier: str, role: str, models: Mapping[str, ModelSpec]) -> set[str]:
    """Return the labels under which an earlier round asked, in a role, the model that stands behind them now."""
    asked: dict[str, set[str | None]] = defaultdict(set)
    for row in records(con, _FOLDER / "answering_models.sql", [earlier]):
        if row["role"] == role:
            asked[str(row["label"])].add(row["fingerprint"])
    return {label for label, spec in models.items() if asked[label] == {spec.fingerprint}}


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
    "in_pair",
    "memory",
)


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit; its inputs are judged responses, tags of respondents, and responses of earlier rounds."""
    rows = [[row[column] for column in COLUMNS] for row in records(con, FOLDER / "plan.sql", [context.round_id])]
    if rows:
        bootstrap = {"replicates": context.config.score_replicates, "seed": SEED}
        inputs: dict[str, object] = {**bootstrap, "rows": rows}
        if metrics := context.config.metrics:
            inputs["metrics"] = {name: required(Kind.METRIC, name).package for name in metrics}
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
    tables = scored_rows(frame, how, unit.inputs.get("tags", {}), tuple(unit.inputs.get("metrics", ())))
    tables["drifts"] = list(drift_rows(frame, unit.inputs.get("earlier", {}), how))
    key = unit.key(context.round_id)
    return {table: [{**key, **row} for row in rows] for table, rows in tables.items() if rows}


SCORE: Final = Stage(NAME, "scores", FOLDER, _plan, WithoutModels(_rows))
