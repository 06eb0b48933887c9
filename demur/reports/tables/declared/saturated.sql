SELECT * EXCLUDE (round_id) FROM saturation_rollups WHERE round_id = $round ORDER BY judge;
