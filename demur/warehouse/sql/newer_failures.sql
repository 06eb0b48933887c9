-- Failed units of a shard whose stored failures are newer. The order of loading therefore does not matter.
SELECT landed.unit_id
FROM landed_failures AS landed
JOIN failures AS present USING (round_id, stage, unit_id)
WHERE (present.failed_at, present.reason, present.detail) >= (landed.failed_at, landed.reason, landed.detail)
