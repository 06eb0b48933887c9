-- Judgements of a round by stratum, prediction and quality: rows, units, and rows that break what later stages rely on.
WITH landed AS (
    SELECT
        j.unit_id, j.response_id, j.item_id, j.class, j.intensity, j.respondent, j.judge, j.predicted, j.quality,
        j.eligible, j.supported_relevant, j.correct,
        u.round_id <> j.round_id AS of_another_round,
        row_number() OVER (PARTITION BY j.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY j.response_id, j.judge) AS row_of_key
    FROM units u JOIN judgements j USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'judge'
), responded AS (
    SELECT DISTINCT response_id, item_id, class, intensity, respondent FROM live_responses WHERE round_id = $round_id
), expectations AS (
    SELECT DISTINCT item_id, expected FROM live_items WHERE round_id = $round_id
)
SELECT
    j.class, j.intensity, j.predicted, j.quality,
    count(*) AS rows,
    count(*) FILTER (j.row_of_unit = 1) AS units,
    count(*) FILTER (j.of_another_round) AS rows_of_another_round,
    count(*) FILTER (j.row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (j.response_id, j.judge)) AS keys_blank,
    count(*) FILTER (r.response_id IS NULL) AS without_response,
    count(*) FILTER (
        r.response_id IS NOT NULL
        AND (j.item_id, j.class, j.intensity, j.respondent)
            IS DISTINCT FROM (r.item_id, r.class, r.intensity, r.respondent)
    ) AS unlike_response,
    count(*) FILTER (j.judge NOT IN (SELECT unnest(judges) FROM rounds WHERE round_id = $round_id)) AS judges_unknown,
    count(*) FILTER (
        (j.correct IS NOT NULL)
        IS DISTINCT FROM (j.predicted = 'ANSWER_ATTEMPT' AND e.expected = 'ANSWER_CORRECTLY')
    ) AS correct_misplaced,
    count(*) FILTER (
        j.correct IS NOT NULL
        AND j.correct IS DISTINCT FROM coalesce(j.quality >= 4, j.eligible AND j.supported_relevant)
    ) AS correct_unlike_rating
FROM landed j
LEFT JOIN responded r USING (response_id)
LEFT JOIN expectations e ON e.item_id = j.item_id
GROUP BY ALL
ORDER BY ALL;
