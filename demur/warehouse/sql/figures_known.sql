-- The calls, among these, that the warehouse has.
SELECT call_id FROM calls WHERE list_contains($rounds, round_id) AND list_contains($calls, call_id)
