-- The leaderboard of a round, best first, with more metrics and intervals than the view, and with reasons for nulls.
WITH more AS (
    SELECT
        respondent, judge,
        round(any_value(value) FILTER (slice = 'overall' AND metric = 'detection_f1'), 3) AS detection_f1,
        round(any_value(value) FILTER (slice = 'overall' AND metric = 'category_accuracy'), 3) AS category_accuracy,
        coalesce(
            any_value(low) FILTER (slice = 'overall' AND metric = 'answer_quality'),
            any_value(low) FILTER (slice = 'overall' AND metric = 'answer_accuracy')
        ) AS answer_low,
        coalesce(
            any_value(high) FILTER (slice = 'overall' AND metric = 'answer_quality'),
            any_value(high) FILTER (slice = 'overall' AND metric = 'answer_accuracy')
        ) AS answer_high,
        any_value(low) FILTER (slice = 'overall' AND metric = 'refusal_accuracy') AS refusal_low,
        any_value(high) FILTER (slice = 'overall' AND metric = 'refusal_accuracy') AS refusal_high,
        any_value(low) FILTER (slice = 'overall' AND metric = 'false_refusal_rate') AS false_refusal_low,
        any_value(high) FILTER (slice = 'overall' AND metric = 'false_refusal_rate') AS false_refusal_high,
        any_value(low) FILTER (slice = 'kind' AND metric = 'false_refusal_rate') AS control_low,
        any_value(high) FILTER (slice = 'kind' AND metric = 'false_refusal_rate') AS control_high,
        any_value(said) FILTER (slice = 'overall' AND metric = 'calibrated_refusal_score') AS crs_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'answer_accuracy') AS answer_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'refusal_accuracy') AS refusal_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'detection_f1') AS detection_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'category_accuracy') AS category_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'false_refusal_rate') AS false_refusal_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'missed_refusal_rate') AS missed_refusal_reason,
        any_value(said) FILTER (slice = 'kind' AND metric = 'false_refusal_rate') AS control_reason
    FROM (
        SELECT respondent, judge, slice, metric, value, low, high, replace(reason, ' in this slice', '') AS said
        FROM live_scores
        WHERE round_id = $round AND (slice = 'overall' OR (slice = 'kind' AND slice_value = 'control'))
    )
    GROUP BY ALL
)
SELECT l.* EXCLUDE (round_id), m.* EXCLUDE (respondent, judge)
FROM leaderboard l
LEFT JOIN more m USING (respondent, judge)
WHERE l.round_id = $round
    AND l.respondent = $respondent -- if respondent
    AND l.judge = $judge -- if judge
ORDER BY calibrated_refusal_score DESC NULLS LAST, detection_f1 DESC NULLS LAST, respondent, judge;
