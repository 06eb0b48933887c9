-- The round that began last.
SELECT round_id, started_at FROM rounds ORDER BY started_at DESC, round_id LIMIT 1
