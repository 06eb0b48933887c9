-- Perturbations to be repaired, with their faults: perturbations that fail a code check and, with
-- generation.repair_verdicts, candidates that the verifiers reject and that wait for no further verdict.
WITH rules AS (
    SELECT
        round_id, verifiers, coalesce(CAST(config ->> '$.generation.repair_verdicts' AS BOOLEAN), false) AS wanted,
        coalesce(CAST(config ->> '$.verification.exclude_self' AS BOOLEAN), false) AS exclude_self,
        coalesce(CAST(config ->> '$.verification.short_circuit' AS BOOLEAN), false) AS short_circuit,
        CAST(config ->> '$.verification.k' AS BIGINT) AS k
    FROM rounds WHERE round_id = $1
), counting AS (
    SELECT * FROM verdicts
    WHERE round_id = $1 AND outcome <> 'missing'
    QUALIFY row_number() OVER (PARTITION BY perturbation_id, verifier ORDER BY attempt) = 1
), judged AS (
    SELECT
        v.perturbation_id, any_value(r) AS rule, count(*) AS verdicts,
        count(*) FILTER (NOT (r.exclude_self AND v.verifier = v.generator)) AS counted,
        count(*) FILTER (v.outcome = 'pass' AND NOT (r.exclude_self AND v.verifier = v.generator)) AS passes,
        any_value(len(r.verifiers) - CAST(r.exclude_self AND list_contains(r.verifiers, v.generator) AS BIGINT)) AS n,
        list_distinct(flatten(list(v.issues ORDER BY v.verifier) FILTER (v.outcome <> 'pass'))) AS faults
    FROM counting v CROSS JOIN rules r
    WHERE r.wanted
    GROUP BY v.perturbation_id
), turned_down AS (
    SELECT perturbation_id, faults FROM judged
    WHERE counted - passes > n - coalesce(rule.k, n)
        AND (rule.short_circuit OR verdicts = len(rule.verifiers))
), failed AS (
    SELECT unit_id, list(check_name || ': ' || evidence ORDER BY check_name) AS faults
    FROM checks WHERE round_id = $1 AND outcome = 'fail' GROUP BY unit_id
)
SELECT
    p.unit_id, p.stamp, p.perturbation_id, coalesce(p.lever, '') AS lever, coalesce(p.question, '') AS question, p.changed,
    coalesce(f.faults, t.faults) AS faults
FROM perturbations p
LEFT JOIN failed f ON f.unit_id = p.unit_id AND p.status = 'rejected'
LEFT JOIN turned_down t ON t.perturbation_id = p.perturbation_id AND p.status = 'candidate'
WHERE p.round_id = $1 AND coalesce(f.faults, t.faults) IS NOT NULL
ORDER BY p.unit_id;
