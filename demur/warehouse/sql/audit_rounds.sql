SELECT round_id, seed FROM rounds ORDER BY started_at DESC, round_id;
