-- Items whose planted text has near copies in the round, most copies first, each with its nearest copy.
SELECT
    c.item_id, c.other_id, c.class, c.intensity, c.lever_id, c.lever, c.generator, i.question, o.question AS other_question,
    c.shared, c.copies, count(*) OVER () AS with_copy,
    (SELECT count(*) FROM live_items WHERE round_id = $round AND kind = 'perturbed') AS items
FROM near_copies c
JOIN live_items i USING (round_id, item_id)
JOIN live_items o ON o.round_id = c.round_id AND o.item_id = c.other_id
WHERE c.round_id = $round
ORDER BY c.copies DESC, c.shared DESC, c.item_id
LIMIT 20;
