-- Base instances of a round by layout: rows, units, and rows that break what later stages rely on.
WITH landed AS (
    SELECT
        b.*,
        u.round_id <> b.round_id AS of_another_round,
        row_number() OVER (PARTITION BY b.unit_id) AS row_of_unit,
        row_number() OVER (PARTITION BY b.base_id) AS row_of_key,
        row_number() OVER (PARTITION BY b.draw) AS row_of_draw
    FROM units u JOIN base_instances b USING (unit_id)
    WHERE u.round_id = $round_id AND u.stage = 'ingest'
)
SELECT
    layout,
    count(*) AS rows,
    count(*) FILTER (row_of_unit = 1) AS units,
    count(*) FILTER (of_another_round) AS rows_of_another_round,
    count(*) FILTER (row_of_key > 1) AS keys_repeated,
    count(*) FILTER ('' IN (base_id, source_id)) AS keys_blank,
    count(*) FILTER (row_of_draw > 1) AS draws_repeated,
    count(*) FILTER (layout <> (SELECT layout FROM rounds WHERE round_id = $round_id)) AS layouts_unlike_round,
    count(*) FILTER (len(list_filter(answers, lambda answer: trim(answer) <> '')) = 0) AS without_answer,
    count(*) FILTER (len(passages) = 0) AS without_passage
FROM landed
GROUP BY ALL
ORDER BY ALL;
