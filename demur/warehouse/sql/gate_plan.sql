-- What identifies the plan of a stage: which units it has, in any order.
SELECT left(md5(coalesce(string_agg(unit_id, ',' ORDER BY unit_id), '')), 12) AS digest
FROM units
WHERE round_id = $round_id AND stage = $stage;
