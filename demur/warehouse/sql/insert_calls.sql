-- Insert a batch of calls. A call that is already there may have had no outcome then.
INSERT OR REPLACE INTO calls BY NAME
SELECT * FROM batch
