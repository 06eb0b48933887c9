-- Units of a landed file that the table holds already: they landed before and must not be doubled.
SELECT DISTINCT landed.unit_id
FROM read_parquet($file) AS landed
SEMI JOIN ${table} USING (unit_id)
