-- Units in a file of failures that have landed in this table. Their failures do not count.
SELECT DISTINCT unit_id FROM read_parquet($file) SEMI JOIN ${table} USING (unit_id);
