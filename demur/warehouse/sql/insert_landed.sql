-- A landed file into its table, without the units that the stage holds already.
INSERT INTO ${table} BY NAME
SELECT landed.*
FROM read_parquet($file) AS landed
ANTI JOIN (SELECT unnest($repeated::VARCHAR[]) AS unit_id) AS repeated USING (unit_id)
