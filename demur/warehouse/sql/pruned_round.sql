-- When a round was pruned; no row where it was not.
SELECT pruned_at FROM rounds WHERE round_id = ? AND pruned_at IS NOT NULL
