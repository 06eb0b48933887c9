-- The answers of calls that are handed over, oldest first, under the ids of the requests that were paid.
SELECT
    call_id AS found, coalesce(reused_from, call_id) AS call_id, request_digest, attempt, reply, finish_reason,
    input_tokens, output_tokens, cached_tokens, reasoning_tokens, logprobs, role, model, fingerprint, reused_from
FROM calls
SEMI JOIN (SELECT unnest($calls::VARCHAR[]) AS call_id) AS wanted USING (call_id)
ORDER BY started_at, attempt, call_id
