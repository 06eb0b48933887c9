"""Frames that a round's report and card are made from, read from the warehouse."""

from datetime import date
from importlib.metadata import version
from typing import Final

from demur.flows.configuration.labels import labelled_respondents
from demur.flows.engine.context import RoundContext
from demur.flows.recordings.models import recorded_facts
from demur.flows.reporting.rewards import completion_rewards
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import LeverClass
from demur.reports.frames import RoundFrames, RoundSummary
from demur.warehouse.connection import Connection
from demur.warehouse.records import frame, records

_FRAMES: Final = {
    "strata": "report_strata",
    "verifiers": "report_verifiers",
    "leaderboard": "report_leaderboard",
    "scores": "release_scores",
    "confusion": "report_confusion",
    "examples": "report_examples",
    "weights": "release_weights",
    "fits": "release_fits",
    "expectations": "report_expectations",
    "failures": "report_failures",
    "pairs": "report_pairs",
    "codes": "report_codes",
    "noise": "report_noise",
    "preference": "report_preference",
    "agreement": "report_agreement",
    "stopping": "report_stopping",
    "difficulty": "report_difficulty",
    "factors": "report_factors",
    "associations": "report_associations",
    "calibration": "report_calibration",
    "precision": "report_precision",
    "drift": "report_drift",
    "abilities": "report_abilities",
    "information": "report_information",
    "saturation": "report_saturation",
    "saturated": "report_saturated",
    "audits": "report_audits",
    "audit_agreement": "report_audit_agreement",
}
"""The statement behind each frame of a report."""


def round_frames(context: RoundContext, con: Connection, release: str, frozen: date) -> RoundFrames:
    """Return a round's results as the frames that a report shows, for the release of that label, frozen on that day."""
    frames = {name: frame(con, query, [context.round_id]) for name, query in _FRAMES.items()}
    return RoundFrames(
        summary=_summary(context, con, release, frozen), rewards=completion_rewards(context, con), **frames
    )


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
        judges=list(roles.judges),
        rules_models=[spec.name for spec in context.config.models if spec.lane.by_rule],
        recorded=recorded_facts(context, con),
        responses_planned=counted["items"] * context.config.response_replicates,
        evaluation=_evaluation(int(counted["judged"]), int(counted["judgements_planned"])),
    )


def _evaluation(judged: int, planned: int) -> str:
    return f"complete: {judged} judgements" if judged == planned else f"INCOMPLETE, {judged} of {planned} judgements"
