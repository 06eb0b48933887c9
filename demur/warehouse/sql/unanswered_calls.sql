-- Calls of a round's stage whose outcome was never stored, with the dollars that each counts.
SELECT c.shard, c.call_id, k.counted_usd AS usd
FROM calls c
JOIN call_costs k USING (call_id)
WHERE c.round_id = ? AND c.stage = ? AND c.error_class = 'unanswered'
