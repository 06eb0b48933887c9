-- Responses of a round by stratum and stated confidence: rows, units, and rows that break what later stages rely on.
WITH landed AS (
    SELECT
        r.unit_id, r.response_id, r.item_id, r.base_id, r.class, r.intensity, r.respondent, r.replicate, r.confidence,
        u.round_id <> r.round_id AS of_another_round,
        row_number() OVER (PARTITION BY r.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY r.response_id) AS row_of_id,
        row_number() OVER (PARTITION BY r.item_id, r.respondent, r.replicate) AS row_of_key
    FROM units u JOIN responses r USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'respond'
), known AS (
    SELECT DISTINCT item_id, base_id, class, intensity FROM live_items WHERE round_id = $round_id
)
SELECT
    r.class, r.intensity, r.confidence,
    count(*) AS rows,
    count(*) FILTER (r.row_of_unit = 1) AS units,
    count(*) FILTER (r.of_another_round) AS rows_of_another_round,
    count(*) FILTER (r.row_of_id > 1 OR r.row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (r.response_id, r.item_id, r.respondent)) AS keys_blank,
    count(*) FILTER (k.item_id IS NULL) AS without_item,
    count(*) FILTER (
        k.item_id IS NOT NULL
        AND (r.base_id, r.class, r.intensity) IS DISTINCT FROM (k.base_id, k.class, k.intensity)
    ) AS unlike_item,
    count(*) FILTER (r.respondent NOT IN (SELECT unnest(respondents) FROM rounds WHERE round_id = $round_id))
        AS respondents_unknown
FROM landed r
LEFT JOIN known k USING (item_id)
GROUP BY ALL
ORDER BY ALL;
