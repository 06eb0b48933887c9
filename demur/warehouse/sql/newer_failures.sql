-- Units of a file of failures that have a newer failure already, so that the order of loading does not matter.
SELECT landed.unit_id
FROM read_parquet($file) AS landed
JOIN failures AS present USING (round_id, stage, unit_id)
WHERE (present.failed_at, present.reason, present.detail) >= (landed.failed_at, landed.reason, landed.detail)
