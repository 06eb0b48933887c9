-- The tables of a file, each with its columns and its primary key.
SELECT table_name, list(part) AS parts FROM (
    SELECT table_name, concat_ws(' ', column_name, data_type, CASE WHEN NOT is_nullable THEN 'NOT NULL' END) AS part
    FROM duckdb_columns() WHERE database_name = current_database() AND schema_name = 'raw'
    UNION ALL
    SELECT table_name, constraint_text FROM duckdb_constraints()
    WHERE database_name = current_database() AND schema_name = 'raw' AND constraint_type = 'PRIMARY KEY'
)
GROUP BY table_name;
