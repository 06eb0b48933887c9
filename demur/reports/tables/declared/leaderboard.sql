-- Respondents and judges of a round, best first, with the reasons of scores that are null.
WITH reasons AS (
    SELECT
        respondent, judge,
        any_value(said) FILTER (slice = 'overall' AND metric = 'calibrated_refusal_score') AS crs_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'answer_accuracy') AS answer_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'refusal_accuracy') AS refusal_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'false_refusal_rate') AS false_refusal_reason,
        any_value(said) FILTER (slice = 'overall' AND metric = 'missed_refusal_rate') AS missed_refusal_reason,
        any_value(said) FILTER (slice = 'kind' AND metric = 'false_refusal_rate') AS control_reason
    FROM (
        SELECT respondent, judge, slice, metric, replace(reason, ' in this slice', '') AS said
        FROM live_scores
        WHERE round_id = $round AND reason IS NOT NULL
            AND (slice = 'overall' OR (slice = 'kind' AND slice_value = 'control'))
    )
    GROUP BY ALL
)
SELECT l.* EXCLUDE (round_id), r.* EXCLUDE (respondent, judge)
FROM leaderboard l
LEFT JOIN reasons r USING (respondent, judge)
WHERE l.round_id = $round
ORDER BY calibrated_refusal_score DESC NULLS LAST, respondent, judge;
