SELECT * EXCLUDE (round_id) FROM model_differences
WHERE round_id = $round AND metric = 'calibrated_refusal_score'
ORDER BY judge, abs(difference) DESC NULLS LAST, first, second;
