-- The time at which a round was pruned; no row for other rounds.
SELECT pruned_at FROM rounds WHERE round_id = ? AND pruned_at IS NOT NULL
