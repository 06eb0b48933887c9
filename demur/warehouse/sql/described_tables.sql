-- The tables of a file, each with its columns and its primary key. Tables without a model are left out.
SELECT table_name, list(part) AS parts FROM (
    SELECT table_name, concat_ws(' ', column_name, data_type, CASE WHEN NOT is_nullable THEN 'NOT NULL' END) AS part
    FROM duckdb_columns() WHERE database_name = current_database() AND schema_name = 'main'
    UNION ALL
    SELECT table_name, constraint_text FROM duckdb_constraints()
    WHERE database_name = current_database() AND schema_name = 'main' AND constraint_type = 'PRIMARY KEY'
)
SEMI JOIN (
    FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main'
) USING (table_name)
WHERE table_name NOT IN ('schema_views', 'round_summaries')
GROUP BY table_name;
