-- Every request behind the rows of a round. These rows are not part of the release's identity.
SELECT
    c.call_id, c.stage, c.unit_id, c.role, c.model, c.provider, c.provider_model, c.fingerprint, c.program, c.request_digest,
    c.attempt, c.status, c.error_class, c.finish_reason, c.input_tokens, c.output_tokens, c.cached_tokens, c.reasoning_tokens,
    c.cost_usd, c.latency_seconds, c.queue_seconds, c.started_at
FROM calls c
SEMI JOIN units u ON u.round_id = ? AND u.stage = c.stage AND u.unit_id = c.unit_id
ORDER BY c.stage, c.unit_id, c.started_at, c.call_id;
