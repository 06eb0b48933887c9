-- What the scores that a round has were counted by; no row where it has none.
SELECT any_value(metrics_version) AS metrics_version
FROM evaluations
WHERE round_id = $1 AND round_id IN (SELECT round_id FROM live_scores)
HAVING count(*) > 0;
