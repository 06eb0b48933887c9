-- The perturbed items of a round in random order, with the number of criteria that a reader has marked.
SELECT i.item_id, coalesce(a.criteria_marked, 0) AS marked, a.item_id IS NOT NULL AS touched
FROM live_items i
LEFT JOIN audit_readings a ON a.round_id = i.round_id AND a.item_id = i.item_id AND a.reader = $reader
WHERE i.round_id = $round AND i.kind = 'perturbed'
ORDER BY md5(i.item_id || $round);
