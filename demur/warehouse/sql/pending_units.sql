-- The pending units of a stage: units that the round plans and that have not landed in the stage's table.
-- There is no other record of progress. So a run can be killed at any time, and failed units are pending again. The
-- stamp of a unit is a hash of all that decides its result: a unit that landed with another stamp is pending again.
-- Units of a policy that have landed in an earlier round are not pending.
SELECT plan.ordinal
FROM read_parquet($plan) AS plan
ANTI JOIN ${table} AS landed
    ON landed.unit_id = plan.unit_id AND landed.stamp IS NOT DISTINCT FROM plan.stamp
ORDER BY plan.ordinal
