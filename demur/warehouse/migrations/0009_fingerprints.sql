-- What of a model's spec decided an answer, beside its name: a name may stand for something else in another round.

ALTER TABLE calls ADD COLUMN fingerprint VARCHAR;
COMMENT ON COLUMN calls.fingerprint IS 'hash of what decides the model''s answers: provider, model, parameters, shape of replies; null in rows from before this column';
