DELETE FROM evaluations WHERE round_id = ?;
