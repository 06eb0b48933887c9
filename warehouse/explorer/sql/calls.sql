-- The requests of a unit of work.
SELECT
    call_id, stage, role, model, provider, provider_model, program, attempt, status, error_class, error, reply,
    finish_reason, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_usd, reserved_usd,
    latency_seconds, queue_seconds, started_at, request_digest, earlier_prompt, batch_id
FROM calls
WHERE unit_id = $unit
    AND round_id = $round
ORDER BY started_at, attempt, call_id
LIMIT 200;
