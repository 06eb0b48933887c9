-- The scores of one evaluation, best first.
SELECT
    respondent, judge, calibrated_refusal_score AS crs, format('{:.3f} to {:.3f}', crs_low, crs_high) AS "95 % interval",
    answer_accuracy AS answers, refusal_accuracy AS refusals, detection_f1 AS detection, category_accuracy AS category,
    false_refusal_rate AS "false refusals", missed_refusal_rate AS "missed refusals", invalid_rate AS invalid, state
FROM leaderboard
JOIN (
    SELECT round_id, respondent, judge,
        round(any_value(value) FILTER (metric = 'detection_f1'), 3) AS detection_f1,
        round(any_value(value) FILTER (metric = 'category_accuracy'), 3) AS category_accuracy
    FROM live_scores WHERE slice = 'overall' GROUP BY ALL
) USING (round_id, respondent, judge)
WHERE round_id = ?
ORDER BY crs DESC NULLS LAST, respondent, judge;
