SELECT
    stage, role, model, calls, failed_calls, input_tokens, cached_tokens, output_tokens,
    round(cost_usd, 6) AS cost_usd, round(unsure_usd, 6) AS unsure_usd,
    CASE WHEN unpriced_calls > 0 THEN 'price not known' ELSE 'tokens not counted' END AS why_unknown
FROM costs_by_model
WHERE round_id = $round
ORDER BY list_position(['probe', ${every_stage}], stage), model;
