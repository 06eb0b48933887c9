SELECT * EXCLUDE (round_id) FROM saturation_rollups WHERE round_id = ? ORDER BY judge;
