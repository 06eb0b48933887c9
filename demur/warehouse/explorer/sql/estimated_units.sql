-- Units that the stages of a round were expected to have.
SELECT stage, CAST(sum(units) AS BIGINT) AS units FROM estimates WHERE round_id = $round GROUP BY ALL;
