-- Successful calls of these units, oldest first. Their answers are reused. Calls from before an `unreadable` failure of
-- their unit are left out, because their answers would fail again.
SELECT
    calls.unit_id, request_digest, attempt, calls.call_id, reply, finish_reason,
    input_tokens, output_tokens, cached_tokens, reasoning_tokens, logprobs, role, model, fingerprint, reasoning
FROM calls
SEMI JOIN (SELECT unnest($units::VARCHAR[]) AS unit_id) AS asked ON calls.unit_id = asked.unit_id
ANTI JOIN failures
    ON failures.unit_id = calls.unit_id
    AND failures.stage = calls.stage
    AND failures.reason = 'unreadable'
    AND failures.failed_at >= calls.started_at
WHERE calls.stage = $stage AND status = 'ok'
ORDER BY calls.unit_id, started_at, attempt, calls.call_id
