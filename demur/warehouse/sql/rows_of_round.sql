SELECT * FROM ${table} WHERE round_id = ?;
