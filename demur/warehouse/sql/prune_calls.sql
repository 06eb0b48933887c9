-- Delete texts of calls of pruned rounds. The costs stay.
UPDATE calls SET reply = NULL, reasoning = NULL, error = NULL, logprobs = NULL
WHERE round_id IN (SELECT round_id FROM rounds WHERE pruned_at IS NOT NULL)
    AND coalesce(reply, reasoning, error, logprobs) IS NOT NULL
