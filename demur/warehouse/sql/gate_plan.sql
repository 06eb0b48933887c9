-- A digest of the units that a stage plans. Their order does not matter.
SELECT left(md5(coalesce(string_agg(concat(unit_id, stamp), ',' ORDER BY unit_id), '')), 12) AS digest
FROM units
WHERE round_id = $round_id AND stage = $stage;
