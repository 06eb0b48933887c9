-- Replies of a stage that were used again for units of the same work, and what they had cost.
SELECT coalesce(sum(replies), 0)::BIGINT AS replies, coalesce(sum(saved_usd), 0) AS saved_usd
FROM reused_replies WHERE round_id = $round_id AND stage = $stage
