-- Scores of a round over all perturbed items.
SELECT respondent, judge, metric, value, low, high, reason
FROM live_scores
WHERE round_id = ? AND slice = 'overall'
ORDER BY respondent, judge, metric;
