SELECT
    respondent,
    calibrated_refusal_score AS crs,
    format('{:.3f} to {:.3f}', crs_low, crs_high) AS "95 % interval",
    answer_accuracy AS answers,
    refusal_accuracy AS refusals,
    control_refusal_rate AS "controls refused",
    mean_reward AS reward
FROM leaderboard WHERE round_id = ?;
