"""The stage score computes metrics with intervals from the round's judgements, and other statistics.

Other statistics are, for example, paired tests of respondents, and the change of scores since earlier rounds.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from demur.configuration.labels import labelled_respondents
from demur.engine.context import RoundContext, judge_specs, loader_reading
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, WithoutModels, planned_unit
from demur.flows.stages.responses.respond import respondents_kept
from demur.lanes.spec import ModelSpec
from demur.plugins import PluginKind, required
from demur.programs.installation import scoring_version
from demur.scoring import SEED, VERSION
from demur.warehouse.statements import RowSet, named_frame, records, row_set
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "score"
_ROWS: Final = FOLDER / "plan.sql"


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield one unit. Its inputs have digests of the judged responses of this round and of earlier rounds."""
    kept = respondents_kept(context, con)
    judged = row_set(con, _ROWS, [context.round_id, kept, None])
    if judged.rows:
        inputs: dict[str, object] = {
            "replicates": context.config.score_replicates,
            "seed": SEED,
            "judged": asdict(judged),
            "respondents": kept,
        }
        if metrics := context.config.metrics:
            inputs["metrics"] = {name: required(PluginKind.METRIC, name).package for name in metrics}
        if tags := respondent_tags(context):
            inputs["tags"] = tags
        if earlier := earlier_responses(context, con):
            inputs["earlier"] = earlier
        yield planned_unit(context, NAME, (), inputs, scoring_version())


def earlier_responses(context: RoundContext, con: Connection) -> dict[str, dict[str, Any]]:
    """Describe the judged responses of two earlier rounds with which this round is compared, by round id.

    They are the newest and the oldest earlier round of the same configuration and layout. Only respondents and judges
    that have the same fingerprint in this round are included. A round without such responses is left out.
    """
    found: dict[str, dict[str, Any]] = {}
    named = {label: respondent.model for label, respondent in labelled_respondents(context.config).items()}
    answering = dict(zip(named, context.specs(tuple(named.values())), strict=True))
    rounds = [str(row["round_id"]) for row in records(con, FOLDER / "earlier_rounds.sql", [context.round_id, VERSION])]
    for earlier in dict.fromkeys((*rounds[:1], *rounds[-1:])):
        respondents = _same(con, earlier, "respondent", answering)
        judges = _same(con, earlier, "judge", judge_specs(context))
        judged = row_set(con, _ROWS, [earlier, respondents, judges])
        if judged.rows:
            found[earlier] = {"respondents": respondents, "judges": judges, "judged": asdict(judged)}
    return found


def _same(con: Connection, earlier: str, role: str, models: Mapping[str, ModelSpec]) -> list[str]:
    """Return the labels in `models` that had a model with the same fingerprint and role in the round `earlier`."""
    asked: dict[str, set[str | None]] = defaultdict(set)
    for row in records(con, FOLDER / "answering_models.sql", [earlier]):
        if row["role"] == role:
            asked[str(row["label"])].update([row["fingerprint"]] if row["is_asked"] else ())
    return sorted(label for label, spec in models.items() if label in asked and asked[label] <= {spec.fingerprint})


def respondent_tags(context: RoundContext) -> dict[str, dict[str, float | str]]:
    """Return the tags of respondents in the configuration, as {tag: {label of the respondent: value}}."""
    found: dict[str, dict[str, float | str]] = {}
    specs = {spec.name: spec for spec in context.specs(context.config.roles.respondents)}
    for label, respondent in labelled_respondents(context.config).items():
        for tag, value in specs[respondent.model].factors.items():
            found.setdefault(tag, {})[label] = value
    return found


def _rows(context: RoundContext, unit: Unit) -> Rows:
    from demur.scoring.table_rows import Bootstrap, drift_rows, scored_rows

    with loader_reading(context) as con:
        frame = named_frame(
            con, _ROWS, [context.round_id, unit.inputs["respondents"], None], RowSet(**unit.inputs["judged"])
        )
        earlier = {
            round_id: named_frame(con, _ROWS, [round_id, of["respondents"], of["judges"]], RowSet(**of["judged"]))
            for round_id, of in unit.inputs.get("earlier", {}).items()
        }
    how = Bootstrap(unit.inputs["replicates"], unit.inputs["seed"])
    tables = scored_rows(frame, how, unit.inputs.get("tags", {}), tuple(unit.inputs.get("metrics", ())))
    tables["drifts"] = list(drift_rows(frame, earlier, how))
    key = unit.key(context.round_id)
    return {table: [{**key, **row} for row in rows] for table, rows in tables.items() if rows}


SCORE: Final = Stage(NAME, "scores", FOLDER, _plan, WithoutModels(_rows))
