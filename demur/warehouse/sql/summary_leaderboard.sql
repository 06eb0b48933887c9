SELECT
    respondent,
    judge,
    calibrated_refusal_score AS crs,
    format('{:.3f} to {:.3f}', crs_low, crs_high) AS "95 % interval",
    answer_accuracy AS answers,
    refusal_accuracy AS refusals,
    control_refusal_rate AS "controls refused",
    invalid_rate AS invalid,
    coalesce(format('{:.3f}', judge_noise), 'unknown') AS "judge's noise",
    mean_reward AS reward,
    state AS evaluation
FROM leaderboard WHERE round_id = ?;
