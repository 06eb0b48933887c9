-- Units of a shard that the table already has. These units landed before and must not be inserted again.
SELECT DISTINCT landed.unit_id
FROM landed_${table} AS landed
SEMI JOIN ${table} USING (unit_id)
