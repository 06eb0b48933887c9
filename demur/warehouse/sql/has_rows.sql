SELECT 1 FROM ${table} WHERE round_id = ? LIMIT 1;
