SELECT * EXCLUDE (round_id) FROM code_collapse WHERE round_id = $round ORDER BY judge, respondent;
