-- All rounds, the newest first.
SELECT round_id, is_imported OR release_evaluated IS NOT NULL AS is_imported FROM round_origins ORDER BY started_at DESC, round_id;
