-- Delete rows whose unit is planned with another stamp: inputs, programs, models or code have changed since.
DELETE FROM ${table}
USING units AS planned
WHERE planned.round_id = $round_id
  AND planned.stage = $stage
  AND ${table}.unit_id = planned.unit_id
  AND ${table}.stamp IS DISTINCT FROM planned.stamp
