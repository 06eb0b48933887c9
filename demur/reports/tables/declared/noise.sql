SELECT * EXCLUDE (round_id) FROM judge_noise
WHERE round_id = $round AND metric = 'calibrated_refusal_score' ORDER BY respondent;
