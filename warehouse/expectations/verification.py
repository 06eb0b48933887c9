"""What the gates of verify, agree and assemble expect."""

from typing import Final

from demur.levers.vocabulary import STRATA, Code, expected_code
from demur.warehouse.expectations.declared import Declaring, Expected, Measure, PairsOf, StageGate
from demur.warehouse.tables import Table
from demur.warehouse.vocabulary import CODES, INTENSITIES, ITEM_KINDS, VERDICT_OUTCOMES

_ATTEMPTS: Final = 3


def _verify() -> StageGate:
    of = Declaring("verify", Table.VERDICTS, "perturbation_id", "verifier", "attempt")
    checks = (
        "coalesce(lever_fidelity AND intensity_achieved AND target_compliance AND coalesce(strategy_compliance, true) "
        "AND coalesce(uncertainty_induced, intensity = 'LOW') AND implementation_quality AND answer_constraint "
        "AND behaviour_prediction AND coalesce(refusal_class_alignment, intensity = 'LOW'), false)"
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


GATES: Final = (_verify(), _agree(), _assemble())
