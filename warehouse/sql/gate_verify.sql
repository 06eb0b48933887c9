-- Verdicts of a round by stratum, attempt and outcome: rows, units, and rows that break what later stages rely on.
WITH landed AS (
    SELECT
        v.*,
        u.round_id <> v.round_id AS of_another_round,
        coalesce(
            lever_fidelity AND intensity_achieved AND target_compliance AND coalesce(strategy_compliance, true)
            AND coalesce(uncertainty_induced, v.intensity = 'LOW') AND implementation_quality AND answer_constraint
            AND behaviour_prediction AND coalesce(refusal_class_alignment, v.intensity = 'LOW'),
            false
        ) AS all_checks,
        row_number() OVER (PARTITION BY v.unit_id ORDER BY v.attempt) AS row_of_unit,
        row_number() OVER (PARTITION BY v.perturbation_id, v.verifier, v.attempt) AS row_of_key,
        min(v.attempt) FILTER (v.outcome <> 'missing') OVER (PARTITION BY v.perturbation_id, v.verifier) AS counting
    FROM units u JOIN verdicts v USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'verify'
), known AS (
    SELECT DISTINCT perturbation_id, class, intensity, generator FROM candidates WHERE round_id = $round_id
)
SELECT
    v.class, v.intensity, v.outcome, v.attempt, v.predicted_behaviour, v.observed_intensity,
    count(*) AS rows,
    count(*) FILTER (v.row_of_unit = 1) AS units,
    count(*) FILTER (v.of_another_round) AS rows_of_another_round,
    count(*) FILTER (v.row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (v.perturbation_id, v.verifier)) AS keys_blank,
    count(*) FILTER (k.perturbation_id IS NULL) AS without_candidate,
    count(*) FILTER (
        (v.class, v.intensity, v.generator) IS DISTINCT FROM (k.class, k.intensity, k.generator)
        AND k.perturbation_id IS NOT NULL
    ) AS unlike_perturbation,
    count(*) FILTER (v.verifier NOT IN (SELECT unnest(verifiers) FROM rounds WHERE round_id = $round_id))
        AS verifiers_unknown,
    count(*) FILTER (
        CASE v.outcome
            WHEN 'missing' THEN v.overall IS NOT NULL
            WHEN 'pass' THEN v.overall IS DISTINCT FROM true OR NOT v.all_checks
            WHEN 'fail' THEN v.overall IS DISTINCT FROM false OR v.all_checks
            WHEN 'inconsistent' THEN v.overall IS NOT DISTINCT FROM v.all_checks
        END
    ) AS outcomes_unlike_checks,
    count(*) FILTER (v.attempt > v.counting) AS asked_after_verdict
FROM landed v
LEFT JOIN known k USING (perturbation_id)
GROUP BY ALL
ORDER BY ALL;
