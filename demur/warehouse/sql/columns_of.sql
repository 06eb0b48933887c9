-- Names of a table's columns, in order.
SELECT column_name FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = 'main' AND table_name = $table
ORDER BY column_index
