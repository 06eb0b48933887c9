-- Planned units that failed because their answers could not be read, with the time of the failure (ISO 8601 in UTC).
SELECT unit_id, strftime(failed_at, '%Y-%m-%dT%H:%M:%S.%f+00:00')
FROM failures
SEMI JOIN read_parquet($plan) AS plan USING (unit_id)
WHERE stage = $stage AND reason = 'unreadable'
