SELECT * EXCLUDE (round_id) FROM acceptance_by_verifier WHERE round_id = ?;
