-- Insert a batch of calls. A call that is already there is the same call.
INSERT INTO calls BY NAME
SELECT * FROM batch
ON CONFLICT DO NOTHING
