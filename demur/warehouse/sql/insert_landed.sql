-- Insert the rows of a shard, except rows of repeated units.
INSERT INTO ${table} BY NAME
SELECT landed.*
FROM landed_${table} AS landed
ANTI JOIN (SELECT unnest($repeated::VARCHAR[]) AS unit_id) AS repeated USING (unit_id)
