SELECT * EXCLUDE (round_id) FROM round_precision WHERE round_id = $round ORDER BY judge, respondent;
