DELETE FROM units
WHERE round_id = $round_id
  AND stage = $stage
  AND unit_id NOT IN (SELECT unit_id FROM read_parquet($plan))
