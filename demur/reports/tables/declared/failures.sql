SELECT stage, reason, count(*) AS units, any_value(detail) AS example FROM live_failures WHERE round_id = $round GROUP BY ALL ORDER BY ALL;
