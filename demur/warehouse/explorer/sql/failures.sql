-- Units that ended without a result, by reason.
SELECT stage, reason, count(*) AS units, any_value(detail) AS example
FROM live_failures WHERE round_id = $round
GROUP BY ALL
ORDER BY units DESC, stage, reason;
