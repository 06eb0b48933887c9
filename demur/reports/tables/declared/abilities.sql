SELECT * EXCLUDE (round_id, unit_id) FROM live_abilities WHERE round_id = $round ORDER BY judge, ability DESC, respondent;
