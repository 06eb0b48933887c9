-- Units of a stage that ended without a result, the oldest first.
SELECT unit_id, reason, detail
FROM live_failures
WHERE round_id = ? AND stage = ?
ORDER BY failed_at;
