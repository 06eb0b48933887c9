-- Insert the rows of a landed file, except rows of repeated units.
INSERT INTO ${table} BY NAME
SELECT landed.*
FROM read_parquet($file) AS landed
ANTI JOIN (SELECT unnest($repeated::VARCHAR[]) AS unit_id) AS repeated USING (unit_id)
