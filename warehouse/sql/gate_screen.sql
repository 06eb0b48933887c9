-- Screenings of a round by what was predicted: rows, units, and rows that break what later stages rely on.
WITH landed AS (
    SELECT
        s.*,
        u.round_id <> s.round_id AS of_another_round,
        row_number() OVER (PARTITION BY s.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY s.base_id, s.screener) AS row_of_key
    FROM units u JOIN screenings s USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'screen'
)
SELECT
    predicted,
    count(*) AS rows,
    count(*) FILTER (row_of_unit = 1) AS units,
    count(*) FILTER (of_another_round) AS rows_of_another_round,
    count(*) FILTER (row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (base_id, screener)) AS keys_blank,
    count(*) FILTER (base_id NOT IN (SELECT base_id FROM live_base_instances WHERE round_id = $round_id))
        AS without_base_instance,
    count(*) FILTER (screener NOT IN (SELECT unnest(screeners) FROM rounds WHERE round_id = $round_id))
        AS screeners_unknown,
    count(*) FILTER (correct AND predicted <> 'ANSWER_ATTEMPT') AS correct_without_attempt
FROM landed
GROUP BY ALL
ORDER BY ALL;
