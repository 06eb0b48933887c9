-- Scores of the same respondents and judges in two rounds.
SELECT
    respondent, judge,
    any_value(calibrated_refusal_score) FILTER (round_id = $a) AS first,
    any_value(crs_low) FILTER (round_id = $a) AS first_low, any_value(crs_high) FILTER (round_id = $a) AS first_high,
    any_value(calibrated_refusal_score) FILTER (round_id = $b) AS second,
    any_value(crs_low) FILTER (round_id = $b) AS second_low, any_value(crs_high) FILTER (round_id = $b) AS second_high,
    second - first AS difference
FROM leaderboard WHERE round_id IN ($a, $b)
GROUP BY ALL
ORDER BY first DESC NULLS LAST, respondent, judge;
