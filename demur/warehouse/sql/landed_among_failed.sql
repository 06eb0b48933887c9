-- Failed units of a shard that have landed in this table. Their failures do not count.
SELECT DISTINCT unit_id FROM landed_failures SEMI JOIN ${table} USING (unit_id);
