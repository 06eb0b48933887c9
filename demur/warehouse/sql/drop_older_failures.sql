-- Delete failures of units that have a newer failure in a shard. Failures of the units to be kept stay.
DELETE FROM failures
WHERE round_id = $round_id
  AND stage = $stage
  AND unit_id IN (
      SELECT unit_id
      FROM landed_failures
      ANTI JOIN (SELECT unnest($kept::VARCHAR[]) AS unit_id) AS kept USING (unit_id)
  )
