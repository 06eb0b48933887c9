SELECT * EXCLUDE (round_id) FROM yield_by_stratum WHERE round_id = ?;
