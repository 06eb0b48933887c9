-- The item that the lot gives a reader next, of those on which nothing of theirs is stored.
SELECT i.item_id
FROM live_items i
ANTI JOIN (SELECT item_id FROM live_audits WHERE round_id = $round AND reader = $reader) USING (item_id)
WHERE i.round_id = $round AND i.kind = 'perturbed'
ORDER BY md5(i.item_id || $round)
LIMIT 1;
