-- The pending units of a stage: units that the round plans and that have not landed in the stage's table.
-- There is no other record of progress. So a run can be killed at any time, and failed units are pending again. The id
-- of a unit is a hash of all inputs that decide its result, so only ids are compared. Units of a policy that have
-- landed in an earlier round are not pending.
SELECT plan.ordinal
FROM read_parquet($plan) AS plan
ANTI JOIN ${table} USING (unit_id)
ORDER BY plan.ordinal
