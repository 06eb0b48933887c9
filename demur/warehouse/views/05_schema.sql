-- Comments on the two tables that hold the version of the warehouse.
COMMENT ON TABLE schema_migrations IS 'One row per migration that this file has had; version 0 is the tables that it was made with.';
COMMENT ON COLUMN schema_migrations.version IS 'number of the migration';
COMMENT ON COLUMN schema_migrations.name IS 'its file';
COMMENT ON COLUMN schema_migrations.digest IS 'hash of its text';
COMMENT ON COLUMN schema_migrations.applied_at IS 'when';
COMMENT ON TABLE schema_views IS 'One row: the views are made again whenever their text differs from this.';
COMMENT ON COLUMN schema_views.digest IS 'hash of the text of all views and models';
