-- Scores of respondents by two judges.
SELECT
    respondent, any_value(calibrated_refusal_score) FILTER (judge = $a) AS first,
    any_value(calibrated_refusal_score) FILTER (judge = $b) AS second, first - second AS difference
FROM leaderboard WHERE round_id = $round AND judge IN ($a, $b)
GROUP BY ALL
ORDER BY first DESC NULLS LAST, respondent;
