-- A round's costs in one row.
WITH asked AS (
    SELECT
        count(*) AS calls,
        count(*) FILTER (attempt > 1) AS retries,
        round(sum(counted_usd) FILTER (attempt > 1) / nullif(sum(counted_usd), 0), 4) AS retries_share,
        round(sum(cached_tokens) / nullif(sum(input_tokens), 0), 4) AS cached_share,
        count(*) FILTER (unpriced) AS unpriced_calls
    FROM call_costs WHERE round_id = $round
), spent AS (
    SELECT
        round(sum(cost_usd), 6) AS cost_usd,
        round(sum(unsure_usd), 6) AS unsure_usd,
        round(sum(counted_usd), 6) AS counted_usd,
        any_value(round_max_usd) AS max_usd
    FROM spending WHERE round_id = $round
), reused AS (
    SELECT coalesce(sum(replies), 0)::BIGINT AS reused_replies, round(coalesce(sum(saved_usd), 0), 6) AS saved_usd
    FROM reused_replies WHERE round_id = $round
)
SELECT
    coalesce(s.cost_usd, 0) AS cost_usd, coalesce(s.unsure_usd, 0) AS unsure_usd,
    coalesce(s.counted_usd, 0) AS counted_usd, s.max_usd, a.*, r.*
FROM asked a CROSS JOIN spent s CROSS JOIN reused r;
