-- The next item that a reader has not wholly marked, after one in the order of strata drawn by lot.
SELECT i.item_id
FROM live_items i
LEFT JOIN audit_readings a ON a.round_id = i.round_id AND a.item_id = i.item_id AND a.reader = $reader
WHERE i.round_id = $round AND i.kind = 'perturbed' AND a.passed IS NULL
    AND i.item_id <> $id -- if id
ORDER BY md5(i.item_id || $round)
LIMIT 1;
