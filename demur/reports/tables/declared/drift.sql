SELECT * EXCLUDE (round_id) FROM score_drift
WHERE round_id = $round AND metric = 'calibrated_refusal_score'
ORDER BY judge, earlier_round_id, respondent;
