CREATE TABLE IF NOT EXISTS schema_migrations (
    version     INTEGER PRIMARY KEY,
    name        VARCHAR NOT NULL,
    digest      VARCHAR NOT NULL,
    applied_at  TIMESTAMP NOT NULL
);
CREATE TABLE IF NOT EXISTS schema_views (
    digest  VARCHAR NOT NULL
);
