-- Tables and views, for the console.
SELECT table_name, comment FROM (
    SELECT view_name AS table_name, comment FROM duckdb_views() WHERE database_name = 'warehouse' AND NOT internal
    UNION ALL BY NAME
    SELECT table_name, comment FROM duckdb_tables() WHERE database_name = 'warehouse' AND schema_name = 'main'
        AND table_name <> 'schema_views'
)
ORDER BY table_name;
