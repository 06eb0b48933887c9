-- Drift between two rounds of one configuration, with its test.
SELECT respondent, judge, metric, value, earlier_value, difference, low, high, p_value, sources_shared, reason
FROM score_drift
WHERE (round_id = $a AND earlier_round_id = $b) OR (round_id = $b AND earlier_round_id = $a)
ORDER BY respondent, judge, metric;
