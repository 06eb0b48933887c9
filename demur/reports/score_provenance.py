"""Provenance of a round's scores: release, prompts, judge, version of metrics."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from demur.configuration.labels import judgings, labelled_respondents, parses_codes
from demur.configuration.sections import JudgeBounds
from demur.engine.context import RoundContext, digest_of, judge_specs
from demur.lanes.spec import ModelSpec
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.installation import codes_version, scoring_version
from demur.programs.judge import BY_CODE, BY_JUDGE, Judge
from demur.programs.respondent import Respondent, SystemOfIndex
from demur.warehouse.releases.manifest import Release, read_manifest
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

CODE: Final = "code"
CORRECT: Final = "correct"
"""Aspects of a judgement: the classification of a response, and the correctness of an answer."""
CALIBRATED: Final = "calibrated"
UNCALIBRATED: Final = "uncalibrated"


def judge_digests(context: RoundContext) -> dict[str, str]:
    """Return the digests of a round's judges, by name of the judge. See `judge_digest`."""
    plain = context.config.is_plain
    return {name: judge_digest(spec, plain=plain) for name, spec in judge_specs(context).items()}


def judge_digest(spec: ModelSpec, *, plain: bool = False) -> str:
    """Return the digest of a judge as 16 hex digits.

    The digest covers the model, its parameters, the prompt, and the version of the parser of refusal codes.
    """
    return digest_of(spec.fingerprint, fingerprint(Judge(plain=plain)), codes_version())[:16]


def judge_calibrations(context: RoundContext, con: Connection) -> list[dict[str, Any]]:
    """Return the newest calibrations of the round's judges, as rows of the table `judge_calibrations`."""
    return list(records(con, "calibrations_of_judges", [list(judge_digests(context).values())]))


def calibration_state(
    calibrations: Sequence[Mapping[str, Any]], judges: Mapping[str, str], bounds: JudgeBounds | None
) -> dict[str, str]:
    """Return the calibration of a round's judges: `state` (calibrated or uncalibrated) and `why`.

    Args:
        calibrations: rows of `judge_calibrations`, the newest of each judge and aspect.
        judges: the digest of each judge by name.
        bounds: the required agreement. Without bounds any comparison with people is enough.
    """
    for name, digest in judges.items():
        measured = {row["aspect"]: row for row in calibrations if row["judge_digest"] == digest}
        if CODE not in measured:
            return {"state": UNCALIBRATED, "why": f"nobody has compared '{name}' with people"}
        for aspect, row in measured.items():
            if bounds is None:
                continue
            if row["responses"] < bounds.responses:
                why = f"people labelled {row['responses']} of the {bounds.responses} responses of gates.judge.responses"
                return {"state": UNCALIBRATED, "why": f"{why} ({name}, {aspect})"}
            if row["kappa"] is None or row["kappa"] < bounds.min_kappa:
                found = f"without a kappa ({row['reason']})" if row["kappa"] is None else f"kappa {row['kappa']:.2f}"
                least = f"gates.judge.min_kappa is {bounds.min_kappa:g}"
                why = f"'{name}' and people have, on {aspect}, {found}; {least}"
                return {"state": UNCALIBRATED, "why": why}
    why = "gates.judge is met" if bounds else "people labelled some responses; no bounds were set (gates.judge)"
    return {"state": CALIBRATED, "why": why}


def evaluation_rows(
    context: RoundContext, release: Release, occasion: str | None = None, sample: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the round's rows of the table `evaluations`: one row per respondent, kind of prompts and primary judge.

    Args:
        context: of the round.
        release: the release with the answered items.
        occasion: the name of a repetition, None for the first evaluation.
        sample: the part of the items that is asked, in words; None for all items.
    """
    config = context.config
    judges = judge_digests(context)
    specs = {spec.name: spec for spec in context.specs(config.roles.respondents)}
    asked = {prompts: fingerprint(Respondent(prompts, config.elicit_confidence)) for prompts in config.response_prompts}
    if config.has_index:
        asked = dict.fromkeys(asked, fingerprint(SystemOfIndex()))
    now = datetime.now(UTC)
    manifest = read_manifest(release.path).model_dump()
    compared = {row["judge_digest"] for row in manifest.get("judge_calibration", ())}
    calibration = manifest.get("calibration", {}).get("state")
    for label, respondent in labelled_respondents(config).items():
        spec = specs[respondent.model]
        own = [one.judge for one in judgings(config) if one.respondent == label and one.judge == one.model]
        for prompts in (respondent.prompts,) if spec.lane.reads_prompts else config.response_prompts:
            for judge in own:
                yield {
                    "round_id": context.round_id,
                    "respondent": label,
                    "judge": judge,
                    "prompts": f"{prompts}, index" if config.has_index else prompts.value,
                    "release_name": release.name,
                    "release_version": release.version,
                    "release_digest": release.digest,
                    "prompts_digest": asked[prompts],
                    "judge_digest": judges[judge],
                    "metrics_version": scoring_version(),
                    "respondent_fingerprint": spec.fingerprint,
                    "replicates": config.response_replicates,
                    "sample": sample,
                    "codes_by": BY_CODE if parses_codes(config) else BY_JUDGE,
                    "occasion": occasion,
                    "evaluated_at": now,
                    "audit": manifest.get("audit", {}).get("state"),
                    "calibration": calibration if judges[judge] in compared else UNCALIBRATED,
                }
