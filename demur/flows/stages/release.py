"""The last step of a round. It freezes the results as a release, with a dataset card (README.md) and a report."""

import platform
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pkgutil import resolve_name
from typing import Any, Final

from demur.configuration.models import ROLES
from demur.corpora.corpus import is_of_a_package
from demur.engine.context import RoundContext, loader_reading, loader_writing
from demur.engine.loading import publish_home
from demur.engine.logs import observer
from demur.engine.recordings import recorded_facts
from demur.flows.stages.volumes import round_fingerprints
from demur.lanes.registry import LANES
from demur.plugins import PluginKind, required
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.installation import package_versions
from demur.programs.judge import Judge
from demur.programs.respondent import Respondent
from demur.reports.artifacts import show_results
from demur.reports.audits.marks import audit_state
from demur.reports.audits.page import released_audits
from demur.reports.release_card import card_tables, render_card
from demur.reports.round_report.page import render_report
from demur.reports.round_report.release_report import release_report
from demur.reports.score_provenance import calibration_state, evaluation_rows, judge_calibrations, judge_digests
from demur.rewards.reward_file import LOADER, loader_text, reward_files
from demur.warehouse.releases.freezing import freeze, record_release
from demur.warehouse.round_rows import finish_round, record_evaluations

RELEASE: Final = "release"
"""The name of this step in progress."""


def release_round(context: RoundContext) -> str:
    """Freeze the release, mark the round as finished, publish the results; return the release's name and version."""
    observer().started(RELEASE, 1, 0)
    observer().entered(RELEASE, "freezing")
    with loader_reading(context) as con:
        recorded = recorded_facts(context, con)
        audit = audit_state(con, context.round_id, context.config.gates.audit)
        calibrations = judge_calibrations(context, con)
        calibration = calibration_state(calibrations, judge_digests(context), context.config.gates.judge)
        judged = {"judge_calibration": calibrations} if calibrations else {}
        described = {**describe(context), "recorded": recorded, "audit": audit, "calibration": calibration, **judged}
        rewards = reward_files(context, con)

        def pages(label: str) -> Mapping[str, str]:
            report = release_report(context, con, label, datetime.now(UTC).date(), described)
            [summary] = report.tables["overview"].records
            card = render_card(context.config.name, summary, described, card_tables(con, context.round_id))
            loader = {LOADER: loader_text()} if rewards else {}
            return {"report.html": render_report(report), "README.md": card, **loader}

        data = {**rewards, **released_audits(con, context.round_id)}
        release = freeze(con, context.home, context.config.name, context.round_id, described, pages, data)
    observer().entered(RELEASE, "publishing")
    with loader_writing(context) as con:
        record_release(con, release)
        record_evaluations(con, context.round_id, list(evaluation_rows(context, release)), scored=True)
        finish_round(con, context.round_id)
    publish_home(context.home)
    show_results(context, release)
    observer().advanced(RELEASE, 1)
    observer().ended(RELEASE, 0)
    return release.label


def describe(context: RoundContext) -> Mapping[str, Any]:
    """Return what the manifest says about how the release was made.

    The result is the same on every machine and at every time.
    """
    config = context.config
    return {
        "configuration": config.recorded(),
        "configuration_digest": config.digest,
        "seed": context.seed,
        "catalogue": {"levers": len(context.catalogue), "fingerprint": context.catalogue.fingerprint},
        "programs": {
            **dict(_program_fingerprints()),
            **{
                f"respondent ({prompts})": fingerprint(Respondent(prompts, config.elicit_confidence))
                for prompts in config.response_prompts
            },
            **({"judge": fingerprint(Judge(plain=True))} if config.is_plain else {}),
            **round_fingerprints(context),
        },
        "models": {spec.name: spec.fingerprint for spec in context.specs(tuple(m.name for m in config.models))},
        "policies": {policy.name: policy.fingerprint for policy in context.policies},
        "packages": {"python": platform.python_version(), **package_versions()},
        **plugins_of(context),
    }


def plugins_of(context: RoundContext) -> dict[str, dict[str, str]]:
    """Return the plugins that a round uses, as {"plugins": {"kind:name": package}}; {} if it uses none."""
    config = context.config
    named = [(PluginKind.LANE, spec.provider) for spec in config.models if spec.provider not in LANES]
    systems = (spec.model for spec in config.models if spec.provider == "respondent")
    named += [(PluginKind.RESPONDENT, model) for model in systems if ":" not in model]
    if config.documents is None and is_of_a_package(config.questions.format):
        named.append((PluginKind.CORPUS, config.questions.format))
    named += [(PluginKind.METRIC, name) for name in config.metrics]
    found = {f"{kind}:{name}": required(kind, name).package for kind, name in named}
    return {"plugins": found} if found else {}


def _program_fingerprints() -> Iterator[tuple[str, str]]:
    """Yield the name and the fingerprint of each program that is the same in all configurations."""
    for role in ROLES.values():
        for named in role.programs:
            program = resolve_name(named)
            words = re.findall(r"[A-Z][a-z]*", program.__name__)
            yield "_".join(words).lower(), fingerprint(program())
