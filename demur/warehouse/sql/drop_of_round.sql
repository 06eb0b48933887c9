DELETE FROM ${table} WHERE round_id = ?;
