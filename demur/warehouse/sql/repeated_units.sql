-- Units of a landed file that the table already has. These units landed before and must not be inserted again.
SELECT DISTINCT landed.unit_id
FROM read_parquet($file) AS landed
SEMI JOIN ${table} USING (unit_id)
