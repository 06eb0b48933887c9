-- Perturbed items of a round beside their base instances.
SELECT
    i.item_id, i.base_id, i.class, i.intensity, i.lever_id,
    i.question AS perturbed_question, i.passages AS perturbed_passages, b.question, b.answers, b.passages
FROM live_items i
JOIN live_base_instances b USING (round_id, base_id)
WHERE i.round_id = ? AND i.kind = 'perturbed'
ORDER BY i.item_id;
