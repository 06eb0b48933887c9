SELECT version, name, digest FROM schema_migrations ORDER BY version;
