-- Comments on the two tables that hold the version of the warehouse.
COMMENT ON TABLE schema_migrations IS 'One row per migration that was applied to the file; version 0 stands for the tables with which the file was created.';
COMMENT ON COLUMN schema_migrations.version IS 'number of the migration';
COMMENT ON COLUMN schema_migrations.name IS 'name of the migration''s file';
COMMENT ON COLUMN schema_migrations.digest IS 'hash of the migration''s text';
COMMENT ON COLUMN schema_migrations.applied_at IS 'time at which the migration was applied';
COMMENT ON TABLE schema_views IS 'One row with a hash; if the texts of views or models have another hash, all views are created again.';
COMMENT ON COLUMN schema_views.digest IS 'hash of the text of all views and models';
