SELECT * EXCLUDE (round_id) FROM verification_cost WHERE round_id = ?;
