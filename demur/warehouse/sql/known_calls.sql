-- The successful calls of some units, oldest first: their answers are used again and not asked for a second time.
-- A unit that failed because its answers could not be read is asked afresh: the same answers would fail it again.
SELECT
    calls.unit_id, request_digest, attempt, calls.call_id, reply, finish_reason,
    input_tokens, output_tokens, cached_tokens, reasoning_tokens, logprobs, role, model, fingerprint, reused_from
FROM calls
SEMI JOIN (SELECT unnest($units::VARCHAR[]) AS unit_id) AS asked ON calls.unit_id = asked.unit_id
ANTI JOIN failures
    ON failures.unit_id = calls.unit_id
    AND failures.stage = calls.stage
    AND failures.reason = 'unreadable'
    AND failures.failed_at >= calls.started_at
WHERE calls.stage = $stage AND status = 'ok'
ORDER BY calls.unit_id, started_at, attempt, calls.call_id
