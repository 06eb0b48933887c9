-- Insert rows, or replace rows with the same keys.
INSERT OR REPLACE INTO ${table} BY NAME SELECT * FROM batch;
