-- Requests of rounds by stage, model and outcome: `ok` or the class of the error.
SELECT
    round_id, stage, model, coalesce(error_class, status) AS outcome,
    count(*) AS calls,
    coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    coalesce(sum(cached_tokens), 0)::BIGINT AS cached_tokens,
    coalesce(sum(cost_usd), 0) AS cost_usd,
    sum(queue_seconds) AS queue_seconds
FROM calls
WHERE list_contains($rounds, round_id)
GROUP BY ALL
ORDER BY ALL
