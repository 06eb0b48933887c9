-- Planned and failed units and loaded rows, by stage in the order of loading.
WITH planned AS (
    SELECT stage, count(*) AS planned FROM units WHERE round_id = $round GROUP BY ALL
), failed AS (
    SELECT stage, count(*) AS failed FROM live_failures WHERE round_id = $round GROUP BY ALL
), loaded AS (
    SELECT stage, CAST(sum(rows) AS BIGINT) AS rows_loaded, max(loaded_at) AS last_loaded_at, min(loaded_at) AS first_at
    FROM loads WHERE round_id = $round GROUP BY ALL
)
SELECT
    coalesce(p.stage, l.stage) AS stage, p.planned, coalesce(f.failed, 0) AS failed, l.rows_loaded, l.last_loaded_at
FROM planned p
FULL JOIN loaded l USING (stage)
LEFT JOIN failed f ON f.stage = coalesce(p.stage, l.stage)
ORDER BY l.first_at NULLS LAST, stage;
