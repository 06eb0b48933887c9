SELECT landing FROM loads ORDER BY loaded_at, landing;
