-- Delete rows whose unit comes with another stamp: inputs, programs, models or code have changed since.
DELETE FROM ${table}
USING landed
WHERE ${table}.unit_id = landed.unit_id AND ${table}.stamp IS DISTINCT FROM landed.stamp
