-- What a stage still has to do: every unit that the round plans, less those that have landed in the stage's table.
-- Nothing else is remembered about progress, so that a run may die anywhere and failed units are asked again.
-- A unit's id says everything that decides its result, its round too where that does; so the id alone is compared,
-- and units of a policy that an earlier round has worked on are not bought again.
SELECT plan.ordinal
FROM read_parquet($plan) AS plan
ANTI JOIN ${table} USING (unit_id)
ORDER BY plan.ordinal
