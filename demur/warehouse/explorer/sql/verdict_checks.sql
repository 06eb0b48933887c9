-- The checks of a verdict: all that is true or false of it but the overall result.
SELECT column_name AS name FROM duckdb_columns()
WHERE database_name = 'warehouse' AND table_name = 'verdicts' AND data_type = 'BOOLEAN' AND column_name <> 'overall'
ORDER BY column_index;
