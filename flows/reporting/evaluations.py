"""What the scores of a round are scores of: release, prompts, judge, definitions of metrics."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from demur.flows.configuration.labels import labelled_judges, labelled_respondents
from demur.flows.engine.context import RoundContext, digest_of
from demur.flows.score_rows.version import scoring_version
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.code_version import codes_version
from demur.programs.judge import Judge
from demur.programs.respondent import Respondent
from demur.warehouse.connection import Connection
from demur.warehouse.records import records
from demur.warehouse.release import Release, read_manifest


def judge_digests(context: RoundContext) -> dict[str, str]:
    """Return the hash of each judge of a round: model and parameters, prompt, how codes are read."""
    judging = fingerprint(Judge()), codes_version()
    specs = context.specs(context.config.roles.judges)
    return {spec.name: digest_of(spec.fingerprint, *judging)[:16] for spec in specs}


def judge_calibrations(context: RoundContext, con: Connection) -> list[dict[str, Any]]:
    """Return how far the round's judges agree with people, by what was calibrated here last."""
    return list(records(con, "calibrations_of_judges", [list(judge_digests(context).values())]))


def evaluation_rows(context: RoundContext, release: Release, occasion: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the round's rows of `evaluations`, for the release whose items are answered; further judgings have none."""
    config, judges = context.config, judge_digests(context)
    specs = {spec.name: spec for spec in context.specs(config.roles.respondents)}
    asked = {prompts: fingerprint(Respondent(prompts, config.elicit_confidence)) for prompts in config.response_prompts}
    now = datetime.now(UTC)
    manifest = read_manifest(release.path).model_dump()
    for label, respondent in labelled_respondents(config).items():
        spec = specs[respondent.model]
        for prompts in config.response_prompts if spec.lane.by_rule else (respondent.prompts,):
            for judge in (name for label, name in labelled_judges(config).items() if label == name):
                yield {
                    "round_id": context.round_id,
                    "respondent": label,
                    "judge": judge,
                    "prompts": prompts.value,
                    "release_name": release.name,
                    "release_version": release.version,
                    "release_digest": release.digest,
                    "prompts_digest": asked[prompts],
                    "judge_digest": judges[judge],
                    "metrics_version": scoring_version(),
                    "respondent_fingerprint": spec.fingerprint,
                    "replicates": config.response_replicates,
                    "occasion": occasion,
                    "evaluated_at": now,
                    "audit": manifest.get("audit", {}).get("state"),
                }
