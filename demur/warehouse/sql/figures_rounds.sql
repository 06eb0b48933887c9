-- Rounds with their newest releases, newest round first. `is_newest` marks the newest round of each configuration.
SELECT
    r.round_id, r.name AS configuration, r.status, r.started_at, r.finished_at,
    CAST(json_extract_string(r.config, '$.budget.max_usd') AS DOUBLE) AS cap_usd,
    row_number() OVER (PARTITION BY r.name ORDER BY r.started_at DESC, r.round_id) = 1 AS is_newest,
    f.release, f.released_at
FROM rounds r
LEFT JOIN (
    SELECT round_id, arg_max(name || '/' || version, created_at) AS release, max(created_at) AS released_at
    FROM releases GROUP BY ALL
) f USING (round_id)
ORDER BY r.started_at DESC, r.round_id
