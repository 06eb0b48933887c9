INSERT INTO units (round_id, stage, unit_id, ordinal)
SELECT $round_id, $stage, unit_id, ordinal
FROM read_parquet($plan)
ON CONFLICT (round_id, stage, unit_id) DO UPDATE SET ordinal = excluded.ordinal WHERE ordinal != excluded.ordinal
