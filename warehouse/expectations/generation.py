"""What the gates of generate, deduplicate, verify and assemble expect."""

from typing import Final

from levers.vocabulary import STRATA, Code, expected_code
from warehouse.expectations.declared import Declaring, Expected, Measure, PairsOf, StageGate
from warehouse.tables import Table
from warehouse.vocabulary import CODES, INTENSITIES, ITEM_KINDS, STATUSES, VERDICT_OUTCOMES

_ATTEMPTS: Final = 3


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


def _verify() -> StageGate:
    of = Declaring("verify", Table.VERDICTS, "perturbation_id", "verifier", "attempt")
    checks = (
        "coalesce(lever_fidelity AND intensity_achieved AND target_compliance AND coalesce(strategy_compliance, true) "
        "AND uncertainty_induced AND implementation_quality AND answer_constraint AND behaviour_prediction "
        "AND refusal_class_alignment, false)"
    )
    return StageGate(
        "verify",
        Table.VERDICTS,
        (
            *of.basics(["perturbation_id", "verifier"]),
            *of.stratum(),
            of.one_of("outcome", VERDICT_OUTCOMES),
            of.one_of("predicted_behaviour", CODES),
            of.one_of("observed_intensity", INTENSITIES),
            of.between("attempt", 1, _ATTEMPTS, of="attempt", where=f"attempt NOT BETWEEN 1 AND {_ATTEMPTS}"),
            of.none(
                "without_candidate",
                "Every verdict has its perturbation, a candidate.",
                joins="ANTI JOIN candidates p USING (round_id, perturbation_id)",
                subject="perturbation_id",
            ),
            of.none(
                "unlike_perturbation",
                "Class, intensity and generator are those of the perturbation.",
                joins="JOIN candidates p USING (round_id, perturbation_id)",
                where="(t.class, t.intensity, t.generator) IS DISTINCT FROM (p.class, p.intensity, p.generator)",
                subject="class, intensity, generator",
            ),
            of.known("verifier", "verifiers"),
            of.none(
                "outcomes_unlike_checks",
                "A pass says so and passes every check, a fail neither; inconsistent contradicts itself.",
                where=f"CASE outcome WHEN 'missing' THEN overall IS NOT NULL "
                f"WHEN 'pass' THEN overall IS DISTINCT FROM true OR NOT {checks} "
                f"WHEN 'fail' THEN overall IS DISTINCT FROM false OR {checks} "
                f"WHEN 'inconsistent' THEN overall IS NOT DISTINCT FROM {checks} END",
                subject="outcome, overall",
            ),
            of.none(
                "asked_after_verdict",
                "Nothing is asked again once a verdict could be read.",
                joins="JOIN counting_verdicts v USING (round_id, perturbation_id, verifier)",
                where="t.attempt > v.attempt",
                subject="attempt",
            ),
        ),
        (
            Measure(
                "acceptance",
                "Candidates that all verifiers accept.",
                at_least=True,
                look="SELECT verifier, generator, verdicts, passes, pass_rate FROM acceptance_by_verifier "
                "WHERE round_id = '{round}'",
            ),
        ),
    )


def _agree() -> StageGate:
    of = Declaring("agree", Table.VERIFICATIONS, "round_id")
    return StageGate(
        "agree",
        Table.VERIFICATIONS,
        (
            *of.basics(["remark"]),
            of.none(
                "cells_beyond_seen",
                "No more cells are matched than there are.",
                where="cells > cells_seen",
                subject="cells, cells_seen",
            ),
            of.none(
                "without_cells_and_remark",
                "Where no cell is matched it is said why.",
                where="cells = 0 AND coalesce(remark, '') = ''",
                subject="cells, remark",
            ),
        ),
    )


def _assemble() -> StageGate:
    of = Declaring("assemble", Table.ITEMS, "kind", "base_id", "perturbation_id")
    strata = [
        (f"{lever_class} {intensity}", expected_code(lever_class, intensity)) for lever_class, intensity in STRATA
    ]
    expected = (*strata, ("control", Code.ANSWER_CORRECTLY))
    return StageGate(
        "assemble",
        Table.ITEMS,
        (
            *of.basics(["item_id", "base_id"], ids=["item_id"]),
            of.one_of("kind", ITEM_KINDS),
            *of.stratum(),
            of.one_of("expected", CODES),
            Expected(
                "expected_fits_stratum",
                "items: expected",
                "Every item expects what its class and intensity demand.",
                PairsOf("stratum", "expected", tuple((stratum, code.value) for stratum, code in expected)),
                "SELECT kind, class, intensity, expected, count(*) AS number FROM live_items "
                "WHERE round_id = '{round}' GROUP BY ALL ORDER BY ALL",
            ),
            of.none(
                "without_base_instance",
                "Every item has a base instance that passed the screen.",
                joins="ANTI JOIN round_bases b USING (round_id, base_id)",
                subject="base_id",
            ),
            of.none(
                "not_accepted",
                "Every perturbed item is a perturbation that all verifiers accept.",
                joins="ANTI JOIN accepted_perturbations a USING (round_id, perturbation_id)",
                where="t.kind = 'perturbed'",
                subject="perturbation_id",
            ),
            of.none(
                "unlike_perturbation",
                "Base instance, class, intensity, lever and generator are those of the perturbation.",
                joins="JOIN accepted_perturbations a USING (round_id, perturbation_id)",
                where="(t.base_id, t.class, t.intensity, t.lever_id, t.lever, t.generator) IS DISTINCT FROM "
                "(a.base_id, a.class, a.intensity, a.lever_id, a.lever, a.generator)",
                subject="base_id, class, intensity, lever_id, lever, generator",
            ),
            of.seen(
                "beyond_quota",
                "No stratum has more items than were wanted.",
                "SELECT class, intensity, items, wanted FROM yield_by_stratum "
                "WHERE round_id = '{round}' AND items > wanted",
                "class, intensity",
            ),
            of.none(
                "controls_perturbed",
                "A control is its base instance, unperturbed.",
                joins="JOIN round_bases b USING (round_id, base_id)",
                where="t.kind = 'control' AND (coalesce(t.perturbation_id, t.class, t.intensity, t.lever_id, t.lever, "
                "t.generator) IS NOT NULL OR t.question <> b.question)",
                subject="kind, question",
            ),
            of.seen(
                "without_control",
                "Every base instance of the round has its control.",
                "SELECT base_id FROM round_bases ANTI JOIN (SELECT * FROM live_items WHERE kind = 'control') "
                "USING (round_id, base_id) WHERE round_id = '{round}'",
                "kind, base_id",
            ),
        ),
        (
            Measure(
                "coverage",
                "Items of a stratum, of those that were wanted.",
                at_least=True,
                look="SELECT class, intensity, candidates, accepted, items, wanted FROM yield_by_stratum "
                "WHERE round_id = '{round}' AND shortfall > 0",
            ),
            Measure(
                "balance",
                "Perturbed items that come from one generator.",
                at_least=True,
                look="SELECT generator, sum(accepted) AS accepted, sum(sampled) AS sampled, sum(wanted) AS wanted "
                "FROM quotas WHERE round_id = '{round}' GROUP BY ALL",
            ),
        ),
    )


GATES: Final = (_generate(), _deduplicate(), _verify(), _agree(), _assemble())
