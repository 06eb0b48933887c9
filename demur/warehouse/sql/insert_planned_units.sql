INSERT INTO units (round_id, stage, unit_id, stamp, ordinal)
SELECT $round_id, $stage, unit_id, stamp, ordinal
FROM read_parquet($plan)
ON CONFLICT (round_id, stage, unit_id) DO UPDATE SET stamp = excluded.stamp, ordinal = excluded.ordinal
    WHERE (stamp, ordinal) IS DISTINCT FROM (excluded.stamp, excluded.ordinal)
