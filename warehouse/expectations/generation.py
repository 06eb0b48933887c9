"""What the gates of generate and deduplicate expect."""

from typing import Final

from demur.warehouse.expectations.declared import Declaring, StageGate
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import STATUSES


def _generate() -> StageGate:
    of = Declaring("generate", Table.PERTURBATIONS, "base_id", "class", "intensity", "generator", "replicate")
    failed = (
        "SELECT perturbation_id, count(*) FILTER (outcome = 'fail') AS failing "
        "FROM live_checks WHERE round_id = '{round}' AND check_name <> 'no_duplicate' GROUP BY ALL"
    )
    return StageGate(
        "generate",
        Table.PERTURBATIONS,
        (
            *of.basics(["perturbation_id", "base_id", "generator"], ids=["perturbation_id"]),
            *of.stratum(),
            of.one_of("status", STATUSES),
            of.none(
                "without_base_instance",
                "Every perturbation has a base instance that passed the screen.",
                joins="ANTI JOIN round_bases b USING (round_id, base_id)",
                subject="base_id",
            ),
            of.known("generator", "generators"),
            of.none(
                "candidates_incomplete",
                "Every candidate has its lever, question and content key.",
                where="status = 'candidate' AND (lever_id IS NULL OR lever IS NULL OR question IS NULL "
                "OR content_key IS NULL)",
                subject="lever_id, lever, question, content_key",
            ),
            of.none(
                "changes_of_unknown_passages",
                "Every changed passage is one of the base instance's.",
                joins="JOIN round_bases b USING (round_id, base_id)",
                where="NOT list_has_all(list_transform(b.passages, lambda p: p.index), "
                "list_transform(t.changed, lambda c: c.index))",
                subject="changed",
            ),
            of.none(
                "statuses_unlike_checks",
                "Candidates passed every code check, rejected perturbations failed one.",
                joins=f"LEFT JOIN ({failed}) c USING (perturbation_id)",
                where="CASE t.status WHEN 'candidate' THEN coalesce(c.failing, 1) > 0 "
                "WHEN 'rejected' THEN coalesce(c.failing, 0) = 0 END",
                subject="status",
            ),
            of.none(
                "without_reason",
                "Every perturbation that is no candidate says why.",
                where="status <> 'candidate' AND reason IS NULL",
                subject="reason",
            ),
            of.seen(
                "checks_unreadable",
                "Every code check stands there once, with pass, fail or undecidable.",
                "SELECT perturbation_id, check_name, outcome, count(*) AS number FROM live_checks "
                "WHERE round_id = '{round}' AND check_name <> 'no_duplicate' GROUP BY ALL "
                "HAVING number > 1 OR outcome NOT IN ('pass', 'fail', 'undecidable')",
                "checks.outcome",
            ),
            of.seen(
                "checks_without_perturbation",
                "Every code check has its perturbation.",
                "SELECT unit_id, perturbation_id, check_name FROM live_checks "
                "ANTI JOIN live_perturbations USING (round_id, perturbation_id) WHERE round_id = '{round}' "
                "AND check_name <> 'no_duplicate'",
                "checks.perturbation_id",
            ),
        ),
    )


def _deduplicate() -> StageGate:
    of = Declaring("deduplicate", Table.CHECKS, "perturbation_id", "check_name")
    return StageGate(
        "deduplicate",
        Table.CHECKS,
        (
            *of.basics(["perturbation_id"]),
            *of.stratum(),
            of.one_of("outcome", ("pass", "fail")),
            of.seen(
                "without_perturbation",
                "Only perturbations that passed every other code check are compared.",
                "SELECT unit_id, perturbation_id, evidence FROM live_checks "
                "ANTI JOIN (SELECT * FROM live_perturbations WHERE status = 'candidate') "
                "USING (round_id, perturbation_id) WHERE round_id = '{round}' AND check_name = 'no_duplicate'",
                "perturbation_id",
            ),
            of.seen(
                "not_compared",
                "Every perturbation that passed every other code check is compared.",
                "SELECT unit_id, perturbation_id FROM live_perturbations "
                "ANTI JOIN (SELECT * FROM live_checks WHERE check_name = 'no_duplicate') "
                "USING (round_id, perturbation_id) WHERE round_id = '{round}' AND status = 'candidate'",
                "perturbation_id",
            ),
        ),
    )


GATES: Final = (_generate(), _deduplicate())
