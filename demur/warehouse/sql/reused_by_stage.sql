-- Number and cost of a stage's replies that were paid for one unit and reused for another unit.
SELECT coalesce(sum(replies), 0)::BIGINT AS replies, coalesce(sum(saved_usd), 0) AS saved_usd
FROM reused_replies WHERE round_id = $round_id AND stage = $stage
