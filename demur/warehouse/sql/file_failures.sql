-- Failed units of a stage, oldest failure first.
SELECT unit_id, reason, detail
FROM live_failures
WHERE round_id = ? AND stage = ?
ORDER BY failed_at;
