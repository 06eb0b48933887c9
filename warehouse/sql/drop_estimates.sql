DELETE FROM estimates WHERE round_id = ?;
