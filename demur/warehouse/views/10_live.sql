-- Failures of planned units. The live views of the tables of units are made from warehouse/tables.py.

CREATE OR REPLACE VIEW live_failures AS
SELECT f.* FROM failures f
JOIN units u ON u.round_id = f.round_id AND u.stage = f.stage AND u.unit_id = f.unit_id;
COMMENT ON VIEW live_failures IS 'One row per unit of the current plan that ended without a result.';
