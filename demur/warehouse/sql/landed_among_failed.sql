-- Which units of a file of failures have landed in a table: what they brought counts, not that they failed once.
SELECT DISTINCT unit_id FROM read_parquet($file) SEMI JOIN ${table} USING (unit_id);
