-- The version of the metrics, and the sample of items, with which a round was scored; no row for a round without scores.
SELECT any_value(metrics_version) AS metrics_version, any_value(sample) AS sample
FROM evaluations
WHERE round_id = $1 AND round_id IN (SELECT round_id FROM live_scores)
HAVING count(*) > 0;
