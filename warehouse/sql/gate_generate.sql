-- Perturbations of a round by stratum and status, with their code checks: rows, units, and rows that break what later
-- stages rely on. Checks without a perturbation stand in a row without stratum.
WITH landed AS (
    SELECT
        p.*,
        u.round_id <> p.round_id AS of_another_round,
        row_number() OVER (PARTITION BY p.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY p.perturbation_id) AS row_of_id,
        row_number() OVER (PARTITION BY p.base_id, p.class, p.intensity, p.generator, p.replicate) AS row_of_key
    FROM units u JOIN perturbations p USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'generate'
), checked AS (
    SELECT
        perturbation_id,
        count(*) AS checks,
        count(*) FILTER (outcome = 'fail') AS failing,
        count(*) FILTER (outcome NOT IN ('pass', 'fail', 'undecidable')) AS outcomes_unknown,
        count(*) - count(DISTINCT check_name) AS repeated
    FROM units JOIN checks USING (unit_id)
    WHERE units.round_id = $round_id AND units.stage = 'generate'
    GROUP BY perturbation_id
), bases AS (
    SELECT base_id, any_value(list_transform(passages, lambda passage: passage."index")) AS passages
    FROM round_bases
    WHERE round_id = $round_id
    GROUP BY base_id
)
SELECT
    p.class, p.intensity, p.status,
    count(p.unit_id) AS rows,
    count(*) FILTER (p.row_of_unit = 1) AS units,
    count(*) FILTER (p.of_another_round) AS rows_of_another_round,
    count(*) FILTER (p.row_of_id > 1 OR p.row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (p.perturbation_id, p.base_id, p.generator)) AS keys_blank,
    count(*) FILTER (p.unit_id IS NOT NULL AND b.base_id IS NULL) AS without_base_instance,
    count(*) FILTER (p.generator NOT IN (SELECT unnest(generators) FROM rounds WHERE round_id = $round_id))
        AS generators_unknown,
    count(*) FILTER (
        p.status = 'candidate' AND (p.lever_id IS NULL OR p.lever IS NULL OR p.question IS NULL OR p.content_key IS NULL)
    ) AS candidates_incomplete,
    count(*) FILTER (NOT list_has_all(b.passages, list_transform(p.changed, lambda change: change."index")))
        AS changes_of_unknown_passages,
    count(*) FILTER (
        CASE p.status
            WHEN 'candidate' THEN coalesce(c.checks, 0) = 0 OR c.failing > 0
            WHEN 'rejected' THEN coalesce(c.failing, 0) = 0
        END
    ) AS statuses_unlike_checks,
    count(*) FILTER (p.status <> 'candidate' AND p.reason IS NULL) AS without_reason,
    coalesce(sum(c.outcomes_unknown + c.repeated), 0)::BIGINT AS checks_unreadable,
    count(*) FILTER (p.unit_id IS NULL) AS checks_without_perturbation
FROM landed p
FULL JOIN checked c USING (perturbation_id)
LEFT JOIN bases b USING (base_id)
GROUP BY ALL
ORDER BY ALL;
