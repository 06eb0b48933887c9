-- What stages cost, against their caps.
SELECT stage, calls, units, cost_usd, unsure_usd, counted_usd, stage_max_usd, round_max_usd
FROM spending WHERE round_id = $round
ORDER BY stage;
