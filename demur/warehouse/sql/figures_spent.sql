-- Dollars that count against caps, by round.
SELECT round_id, sum(counted_usd) AS spent_usd FROM spending WHERE list_contains($rounds, round_id) GROUP BY ALL
