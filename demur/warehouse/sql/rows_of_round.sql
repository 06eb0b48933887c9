SELECT * FROM ${table} WHERE round_id = ? ORDER BY ALL;
