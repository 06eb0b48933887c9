-- Rows of the archive into the table that they were in.
INSERT INTO ${table} BY NAME SELECT * FROM read_parquet($file);
