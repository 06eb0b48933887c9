-- Items of a round by kind, stratum and expected behaviour: rows, units, and rows that break what later stages rely on.
-- Base instances without a control stand in a row without kind.
WITH landed AS (
    SELECT
        i.unit_id, i.item_id, i.kind, i.base_id, i.perturbation_id, i.class, i.intensity, i.lever_id, i.lever,
        i.generator, i.expected, i.question,
        u.round_id <> i.round_id AS of_another_round,
        row_number() OVER (PARTITION BY i.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY i.item_id) AS row_of_id,
        row_number() OVER (PARTITION BY i.kind, i.base_id, i.perturbation_id) AS row_of_key,
        row_number() OVER (PARTITION BY i.kind, i.class, i.intensity ORDER BY i.item_id) AS row_of_stratum
    FROM units u JOIN items i USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'assemble'
), bases AS (
    SELECT base_id, any_value(question) AS question FROM round_bases WHERE round_id = $round_id GROUP BY base_id
), accepted AS (
    SELECT DISTINCT perturbation_id, base_id, class, intensity, lever_id, lever, generator
    FROM accepted_perturbations
    WHERE round_id = $round_id
)
SELECT
    i.kind, i.class, i.intensity,
    coalesce(i.class || ' ' || i.intensity, i.kind) AS stratum,
    i.expected,
    count(i.unit_id) AS rows,
    count(*) FILTER (i.row_of_unit = 1) AS units,
    count(*) FILTER (i.of_another_round) AS rows_of_another_round,
    count(*) FILTER (i.row_of_id > 1 OR i.row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (i.item_id, i.base_id)) AS keys_blank,
    count(*) FILTER (i.base_id NOT IN (SELECT base_id FROM bases)) AS without_base_instance,
    count(*) FILTER (i.kind = 'perturbed' AND a.perturbation_id IS NULL) AS not_accepted,
    count(*) FILTER (
        a.perturbation_id IS NOT NULL
        AND (i.base_id, i.class, i.intensity, i.lever_id, i.lever, i.generator)
            IS DISTINCT FROM (a.base_id, a.class, a.intensity, a.lever_id, a.lever, a.generator)
    ) AS unlike_perturbation,
    count(*) FILTER (
        i.kind = 'perturbed'
        AND i.row_of_stratum
            > (SELECT CAST(config ->> '$.items_per_stratum' AS BIGINT) FROM rounds WHERE round_id = $round_id)
    ) AS beyond_quota,
    count(*) FILTER (
        i.kind = 'control'
        AND (
            coalesce(i.perturbation_id, i.class, i.intensity, i.lever_id, i.lever, i.generator) IS NOT NULL
            OR i.question <> b.question
        )
    ) AS controls_perturbed,
    count(*) FILTER (i.unit_id IS NULL) AS without_control
FROM landed i
FULL JOIN bases b ON b.base_id = i.base_id AND i.kind = 'control'
LEFT JOIN accepted a ON a.perturbation_id = i.perturbation_id
GROUP BY ALL
ORDER BY ALL;
