SELECT stage, reason, count(*) AS units FROM live_failures WHERE round_id = $round GROUP BY ALL ORDER BY ALL;
