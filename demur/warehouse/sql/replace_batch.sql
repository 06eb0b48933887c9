-- What is known now, in place of what was known of the same keys before.
INSERT OR REPLACE INTO ${table} BY NAME SELECT * FROM batch;
