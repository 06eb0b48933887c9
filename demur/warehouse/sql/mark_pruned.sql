-- Mark a round as pruned. If it was pruned before, the earlier time stays.
UPDATE rounds SET pruned_at = coalesce(pruned_at, $now) WHERE round_id = $round
