-- The calls, among these, that the warehouse has.
SELECT call_id FROM calls WHERE list_contains(?::VARCHAR[], call_id)
