SELECT landing FROM loads WHERE round_id = ? ORDER BY loaded_at, landing;
