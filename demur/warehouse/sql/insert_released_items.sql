INSERT INTO released_items (name, version, round_id, item_id, content_key)
SELECT DISTINCT $name, $version, i.round_id, i.item_id, p.content_key
FROM live_items i
JOIN live_perturbations p USING (round_id, perturbation_id)
WHERE i.round_id = $round_id AND i.kind <> 'control' AND p.content_key IS NOT NULL
ON CONFLICT DO NOTHING;
