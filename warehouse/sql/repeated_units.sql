-- Units of a landed file that the table holds already: they landed before and must not be doubled.
SELECT DISTINCT landed.unit_id
FROM read_parquet($file) AS landed
SEMI JOIN (SELECT unit_id FROM ${table} WHERE round_id = $round_id) AS present USING (unit_id)
