-- Delete failures of landed units, except of the units `late`, whose rows are skipped.
DELETE FROM failures
WHERE round_id = $round_id
  AND stage = $stage
  AND unit_id IN (SELECT unit_id FROM read_parquet($file))
  AND NOT list_contains($late::VARCHAR[], unit_id)
