-- Version 0 is the tables that a file was made with; files of unreleased versions have none.
SELECT 1 FROM schema_migrations WHERE version = 0;
