SELECT
    s.stage, s.units, s.calls, s.retries, s.retries_share, s.cached_share, s.input_tokens, s.output_tokens,
    round(s.cost_usd, 6) AS cost_usd, CASE WHEN s.unpriced_calls < s.calls THEN round(p.unsure_usd, 6) END AS unsure_usd,
    p.stage_max_usd AS max_usd, CASE WHEN s.unpriced_calls > 0 THEN 'price not known' ELSE 'tokens not counted' END AS why_unknown
FROM costs_by_stage s
JOIN spending p USING (round_id, stage)
WHERE round_id = $round
ORDER BY list_position(['probe', ${every_stage}], s.stage), s.stage;
