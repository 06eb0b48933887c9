-- Delete failures of landed units.
DELETE FROM failures
WHERE round_id = $round_id
  AND stage = $stage
  AND unit_id IN (SELECT unit_id FROM landed_${table})
