-- The rows of a table whose units are still planned. After a change of a prompt or a model, the old rows stay in the
-- table, but not in this view. A unit of a policy may have landed in an earlier round. `round_id` is therefore the
-- round that plans the unit, not the round that paid for it.
CREATE OR REPLACE VIEW live_${table} AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM ${table} t
JOIN units u ON u.stage IN (${stages}) AND u.unit_id = t.unit_id;
