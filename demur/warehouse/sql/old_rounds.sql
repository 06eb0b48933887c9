-- Rounds that make items, newest first, with their newest releases.
SELECT
    r.round_id,
    row_number() OVER (PARTITION BY r.name ORDER BY r.started_at DESC, r.round_id) - 1 AS age,
    r.started_at, r.pruned_at, f.release, f.manifest_digest, r.status = 'finished' AS is_finished
FROM rounds r
JOIN round_origins o USING (round_id)
LEFT JOIN (
    SELECT round_id, arg_max(name || '/' || version, created_at) AS release,
        arg_max(manifest_digest, created_at) AS manifest_digest
    FROM releases GROUP BY ALL
) f USING (round_id)
WHERE o.kind = 'round'
ORDER BY r.started_at DESC, r.round_id
