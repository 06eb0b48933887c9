-- Planned units that have successful calls.
SELECT DISTINCT calls.unit_id
FROM calls
SEMI JOIN read_parquet($plan) AS plan USING (unit_id)
WHERE calls.stage = $stage AND calls.status = 'ok'
