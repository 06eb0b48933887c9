-- Insert archived rows into their table.
INSERT INTO ${table} BY NAME SELECT * FROM read_parquet($file);
