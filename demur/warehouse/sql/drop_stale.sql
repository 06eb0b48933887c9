-- Delete rows whose unit has another stamp in a file: inputs, programs, models or code have changed since.
DELETE FROM ${table}
USING read_parquet($file) AS now
WHERE ${table}.unit_id = now.unit_id AND ${table}.stamp IS DISTINCT FROM now.stamp
