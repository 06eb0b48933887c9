-- Kinds of response, as shares of all responses.
SELECT
    respondent, judge,
    any_value(value) FILTER (metric = 'share_correct_answer') AS correct_answer,
    any_value(value) FILTER (metric = 'share_correct_refusal') AS correct_refusal,
    any_value(value) FILTER (metric = 'share_wrong_answer') AS wrong_answer,
    any_value(value) FILTER (metric = 'share_wrong_category_refusal') AS wrong_category_refusal,
    any_value(value) FILTER (metric = 'share_false_refusal') AS false_refusal,
    any_value(value) FILTER (metric = 'share_missed_refusal') AS missed_refusal,
    any_value(value) FILTER (metric = 'share_invalid') AS invalid
FROM live_scores
WHERE round_id = $round AND slice = 'overall' AND metric LIKE 'share_%'
GROUP BY ALL
ORDER BY respondent, judge;
