-- These calls, oldest first. Their answers go to other units. `call_id` is the id of the paid call.
SELECT
    call_id AS found, coalesce(reused_from, call_id) AS call_id, request_digest, attempt, reply, finish_reason,
    input_tokens, output_tokens, cached_tokens, reasoning_tokens, logprobs, role, model, fingerprint, reused_from,
    reasoning
FROM calls
SEMI JOIN (SELECT unnest($calls::VARCHAR[]) AS call_id) AS wanted USING (call_id)
ORDER BY started_at, attempt, call_id
