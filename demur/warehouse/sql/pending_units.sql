-- The pending units of a stage: units that the round plans and that have not landed in the stage's table.
-- There is no other record of progress. So a run can be killed at any time, and failed units are pending again. The id
-- of a unit is a hash of all inputs that decide its result, so only ids are compared. Units of a policy that have
-- landed in an earlier round are not pending. `answered` is true for units with successful calls. `unreadable_at` is the
-- time at which a unit failed because its answers could not be read (ISO 8601 in UTC).
SELECT plan.ordinal, answered.unit_id IS NOT NULL AS answered, failed.unreadable_at
FROM read_parquet($plan) AS plan
ANTI JOIN ${table} USING (unit_id)
LEFT JOIN (
    SELECT DISTINCT unit_id FROM calls WHERE stage = $stage AND status = 'ok'
) AS answered USING (unit_id)
LEFT JOIN (
    SELECT unit_id, max(strftime(failed_at, '%Y-%m-%dT%H:%M:%S.%f+00:00')) AS unreadable_at
    FROM failures
    WHERE stage = $stage AND reason = 'unreadable'
    GROUP BY unit_id
) AS failed USING (unit_id)
ORDER BY plan.ordinal
