-- A batch of a journal into the ledger; a call that is there already is the same call.
INSERT INTO calls BY NAME
SELECT * FROM batch
ON CONFLICT DO NOTHING
