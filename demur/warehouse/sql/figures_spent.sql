-- Dollars that count against caps, by round.
SELECT round_id, CASE WHEN sum(unpriced_calls) = 0 THEN sum(counted_usd) END AS spent_usd FROM spending WHERE list_contains($rounds, round_id) GROUP BY ALL
