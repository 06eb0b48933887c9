-- The rows of a table in rounds that began before this one.
SELECT t.* FROM ${table} t
SEMI JOIN (
    SELECT earlier.round_id FROM rounds earlier JOIN rounds r ON r.round_id = $1 AND earlier.started_at < r.started_at
) USING (round_id);
