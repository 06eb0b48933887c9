SELECT round_id FROM rounds ORDER BY round_id;
