-- The checks of a verdict and their meanings. All boolean columns except `overall` are checks.
SELECT column_name AS name, coalesce(string_split(comment, ';')[1], '') AS meaning FROM duckdb_columns()
WHERE database_name = 'warehouse' AND table_name = 'verdicts' AND data_type = 'BOOLEAN' AND column_name <> 'overall'
ORDER BY column_index;
