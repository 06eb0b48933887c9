-- All rounds, newest first.
SELECT round_id, kind <> 'round' AS is_aside FROM round_origins ORDER BY started_at DESC, round_id;
