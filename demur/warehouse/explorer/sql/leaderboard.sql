-- Respondents, best first.
SELECT
    respondent, judge, calibrated_refusal_score, crs_low, crs_high, pairs_right, answer_accuracy, refusal_accuracy,
    false_refusal_rate, missed_refusal_rate, control_refusal_rate, invalid_rate, responses, mean_reward, judge_noise, state
FROM leaderboard
WHERE round_id = $round
ORDER BY calibrated_refusal_score DESC NULLS LAST, respondent, judge;
