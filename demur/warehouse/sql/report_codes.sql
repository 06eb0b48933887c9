SELECT * EXCLUDE (round_id) FROM code_collapse WHERE round_id = ? ORDER BY judge, respondent;
