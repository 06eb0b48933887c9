SELECT * EXCLUDE (round_id) FROM self_preference WHERE round_id = $round ORDER BY generator;
