-- A round's costs in one row.
WITH asked AS (
    SELECT
        count(*) AS calls,
        count(*) FILTER (attempt > 1) AS retries,
        round(sum(counted_usd) FILTER (attempt > 1) / nullif(sum(counted_usd), 0), 4) AS retries_share,
        round(sum(cached_tokens) / nullif(sum(input_tokens), 0), 4) AS cached_share
    FROM call_costs WHERE round_id = $round
), spent AS (
    SELECT cost_usd, unsure_usd, counted_usd, max_usd, unpriced_calls, why_unknown FROM round_spending WHERE round_id = $round
)
SELECT
    CASE WHEN a.calls > 0 THEN s.cost_usd ELSE 0 END AS cost_usd,
    CASE WHEN a.calls > 0 THEN s.unsure_usd ELSE 0 END AS unsure_usd,
    CASE WHEN a.calls > 0 THEN s.counted_usd ELSE 0 END AS counted_usd,
    s.max_usd, a.*, coalesce(s.unpriced_calls, 0) AS unpriced_calls, s.why_unknown
FROM asked a LEFT JOIN spent s ON true;
