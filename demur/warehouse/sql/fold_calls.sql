-- Insert a batch of a journal's calls. A call that is already stored is the same call.
INSERT INTO calls BY NAME
SELECT * FROM batch
ON CONFLICT DO NOTHING
