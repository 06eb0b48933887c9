-- Seconds and dollars of an answer of one respondent of an evaluation.
SELECT answers, seconds_median, seconds_p95, usd_median, usd_p95
FROM answer_costs
WHERE round_id = $round AND respondent = $respondent;
