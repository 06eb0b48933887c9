-- The requests of a unit, in whichever round they were made.
SELECT
    round_id, call_id, unit_id, stage, role, model, provider, provider_model, program, attempt, status, error_class, error, reply, reasoning,
    finish_reason, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_usd, reserved_usd,
    latency_seconds, queue_seconds, started_at, request_digest, earlier_prompt, batch_id, logprobs, shard
FROM calls
WHERE unit_id = $unit
ORDER BY started_at, attempt, call_id
LIMIT 200;
