-- Estimated dollars of a round, by stage.
SELECT stage, sum(cost_usd) AS cost_usd FROM estimates WHERE round_id = ? AND cost_usd IS NOT NULL GROUP BY stage;
