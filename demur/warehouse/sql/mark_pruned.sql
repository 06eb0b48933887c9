-- A pruned round, as of when it was first.
UPDATE rounds SET pruned_at = coalesce(pruned_at, $now) WHERE round_id = $round
