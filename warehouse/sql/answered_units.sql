-- Units of a stage that have successful calls in the ledger.
SELECT DISTINCT unit_id
FROM calls
WHERE round_id = $round_id AND stage = $stage AND status = 'ok'
