-- The checks of a verdict: all that is true or false of it but the overall result, and what each says.
SELECT column_name AS name, coalesce(string_split(comment, ';')[1], '') AS meaning FROM duckdb_columns()
WHERE database_name = 'warehouse' AND table_name = 'verdicts' AND data_type = 'BOOLEAN' AND column_name <> 'overall'
ORDER BY column_index;
