SELECT * EXCLUDE (round_id) FROM round_reach WHERE round_id = ? ORDER BY judge, respondent;
