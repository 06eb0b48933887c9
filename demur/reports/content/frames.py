"""Frames that a round's report and card are made from, read from the warehouse."""

from dataclasses import fields
from datetime import date
from importlib.metadata import version
from typing import Any, Final

from demur.configuration.labels import labelled_respondents
from demur.engine.context import RoundContext
from demur.engine.judges import judge_models
from demur.engine.recordings.models import recorded_facts
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import LeverClass
from demur.reports.content.rewards import completion_rewards
from demur.reports.frames import RoundFrames, RoundSummary
from demur.reports.tables import named_table, table_names
from demur.warehouse.connection import Connection
from demur.warehouse.records import frame, records

RELEASED: Final = ("scores", "weights", "fits")
"""Frames of a report that are those of the release."""


def round_frames(context: RoundContext, con: Connection, release: str, frozen: date) -> RoundFrames:
    """Return a round's results as the frames that a report shows, for the release of that label, frozen on that day."""
    made: dict[str, Any] = {
        "summary": _summary(context, con, release, frozen),
        "rewards": completion_rewards(context, con),
    }
    named = table_names()
    for name in (each.name for each in fields(RoundFrames) if each.name not in made):
        if name in named:
            made[name] = named_table(name).read(con, round=context.round_id).frame()
        else:
            query = f"{'release' if name in RELEASED else 'report'}_{name}"
            made[name] = frame(con, query, [context.round_id])
    return RoundFrames(**made)


def _summary(context: RoundContext, con: Connection, release: str, frozen: date) -> RoundSummary:
    counted = next(records(con, "report_summary", [context.round_id]))
    roles = context.config.roles
    return RoundSummary(
        round_id=context.round_id,
        name=context.config.name,
        release=release,
        date=frozen.isoformat(),
        corpus=context.config.corpus.path.name,
        demur=version("demur"),
        layout=counted["layout"],
        class_notes={str(lever_class): load_taxonomy().definition(lever_class) for lever_class in LeverClass},
        bases=counted["bases"],
        items=counted["items"],
        controls=counted["controls"],
        seed=context.seed,
        generators=list(roles.generators),
        verifiers=list(roles.verifiers),
        respondents=list(labelled_respondents(context.config)),
        judges=list(judge_models(context)),
        rules_models=[spec.name for spec in context.config.models if spec.lane.by_rule],
        recorded=recorded_facts(context, con),
        responses_planned=counted["items"] * context.config.response_replicates,
        evaluation=_evaluation(int(counted["judged"]), int(counted["judgements_planned"])),
    )


def _evaluation(judged: int, planned: int) -> str:
    return f"complete: {judged} judgements" if judged == planned else f"INCOMPLETE, {judged} of {planned} judgements"
