-- Comments on the table that holds the version of the warehouse.
COMMENT ON TABLE schema_views IS 'One row with a hash; if the texts of views or models have another hash, all views are created again.';
COMMENT ON COLUMN schema_views.digest IS 'hash of the text of all views and models';
