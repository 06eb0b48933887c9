SELECT round_id, seed FROM rounds
WHERE name = ? AND config_digest = ? AND status = 'open'
ORDER BY started_at DESC, round_id;
