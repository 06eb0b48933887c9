-- Means per request in rounds other than this one, by stage, role, provider and model of the provider. `bias` is the
-- provider's count of input tokens, divided by the count in the round's estimate.
WITH asked AS (
    SELECT
        c.stage, c.role, c.provider, c.provider_model, c.round_id, c.model,
        count(*) AS calls,
        count(DISTINCT c.unit_id) AS units,
        sum(c.input_tokens) AS input_tokens,
        sum(c.output_tokens) AS output_tokens,
        sum(c.cached_tokens) AS cached_tokens
    FROM calls c
    WHERE c.round_id <> ? AND c.status = 'ok' AND c.output_tokens IS NOT NULL
    GROUP BY ALL
)
SELECT
    a.stage, a.role, a.provider, a.provider_model,
    sum(a.calls) AS calls,
    sum(a.calls) / sum(a.units) AS calls_per_unit,
    sum(a.output_tokens) / sum(a.calls) AS output_tokens,
    coalesce(sum(a.cached_tokens) / nullif(sum(a.input_tokens), 0), 0) AS cached_share,
    sum(a.input_tokens) FILTER (e.input_tokens > 0 AND e.calls > 0)
        / sum(a.calls * e.input_tokens / e.calls) FILTER (e.input_tokens > 0 AND e.calls > 0) AS bias
FROM asked a
LEFT JOIN estimates e USING (round_id, stage, role, model)
GROUP BY ALL;
