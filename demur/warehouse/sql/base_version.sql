-- One row if the file records version 0: the tables that it was made with. Files of unreleased versions have no row.
SELECT 1 FROM schema_migrations WHERE version = 0;
