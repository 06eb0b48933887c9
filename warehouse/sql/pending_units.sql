-- What a stage still has to do: every unit that the round plans, less those that have landed in the stage's table.
-- Nothing else is remembered about progress, so that a run may die anywhere and failed units are asked again.
SELECT plan.ordinal
FROM read_parquet($plan) AS plan
ANTI JOIN (SELECT unit_id FROM ${table} WHERE round_id = $round_id) AS landed USING (unit_id)
ORDER BY plan.ordinal
