-- What a round holds now of a table: rows whose unit of work is still planned. Changing a prompt or a model leaves the
-- old rows in their table and takes them out of here. A policy's units may have been worked on in an earlier round, so
-- the round of these views is the round that plans the unit, not the one that paid for it.
CREATE OR REPLACE VIEW live_${table} AS
SELECT u.round_id, t.* EXCLUDE (round_id) FROM ${table} t
JOIN units u ON u.stage IN (${stages}) AND u.unit_id = t.unit_id;
