SELECT round_id FROM rounds ORDER BY started_at DESC, round_id;
