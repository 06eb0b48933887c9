-- The successful calls of some units, oldest first: their answers are used again and not asked for a second time.
SELECT
    unit_id, request_digest, attempt, call_id, reply, finish_reason,
    input_tokens, output_tokens, cached_tokens, reasoning_tokens
FROM calls
SEMI JOIN (SELECT unnest($units::VARCHAR[]) AS unit_id) AS asked USING (unit_id)
WHERE stage = $stage AND status = 'ok'
ORDER BY unit_id, started_at, attempt, call_id
