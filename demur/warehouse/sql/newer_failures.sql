-- Units in a file of failures whose stored failures are newer. The order of loading therefore does not matter.
SELECT landed.unit_id
FROM read_parquet($file) AS landed
JOIN failures AS present USING (round_id, stage, unit_id)
WHERE (present.failed_at, present.reason, present.detail) >= (landed.failed_at, landed.reason, landed.detail)
