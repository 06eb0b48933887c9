-- Units of a round's stage that failed because their answers could not be read, with the time (ISO 8601 in UTC).
SELECT unit_id, strftime(failed_at, '%Y-%m-%dT%H:%M:%S.%f+00:00') AS failed_at
FROM failures WHERE round_id = ? AND stage = ? AND reason = 'unreadable';
