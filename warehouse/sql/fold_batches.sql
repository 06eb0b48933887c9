-- What is known of batches now, in place of what was known before.
INSERT OR REPLACE INTO batches BY NAME
SELECT * FROM batch
