-- Successful calls of a round's stage, oldest first, without calls from before an `unreadable` failure of their unit.
SELECT
    calls.unit_id, request_digest, attempt, calls.call_id, reply, finish_reason,
    input_tokens, output_tokens, cached_tokens, reasoning_tokens, logprobs, role, model, fingerprint, reasoning
FROM calls AS calls
ANTI JOIN failures AS failures
    ON failures.unit_id = calls.unit_id
    AND failures.stage = calls.stage
    AND failures.reason = 'unreadable'
    AND failures.failed_at >= calls.started_at
WHERE calls.round_id = $1 AND calls.stage = $2 AND status = 'ok'
ORDER BY calls.unit_id, started_at, attempt, calls.call_id;
