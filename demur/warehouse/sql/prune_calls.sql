-- What was said in requests of pruned rounds; what they cost stays.
UPDATE calls SET reply = NULL, error = NULL, logprobs = NULL, journal = NULL
WHERE round_id IN (SELECT round_id FROM rounds WHERE pruned_at IS NOT NULL)
    AND coalesce(reply, error, logprobs, journal) IS NOT NULL
