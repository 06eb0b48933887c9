SELECT * EXCLUDE (round_id) FROM round_precision WHERE round_id = ? ORDER BY judge, respondent;
