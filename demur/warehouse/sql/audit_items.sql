-- Perturbed items of a round beside their base instances, for an audit. Suspicion is the mean over judges.
SELECT
    i.item_id, i.class, i.intensity, i.lever_id, i.lever, i.expected,
    b.question AS original_question, i.question, b.answers,
    list_transform(b.passages, lambda x: x.text) AS original_passages,
    list_transform(i.passages, lambda x: x.text) AS passages,
    list_transform(i.passages, lambda x: x.relevant) AS relevant,
    s.suspicion
FROM live_items i
JOIN live_base_instances b USING (round_id, base_id)
LEFT JOIN (
    SELECT round_id, item_id, avg(suspicion) AS suspicion FROM item_measures GROUP BY ALL
) s USING (round_id, item_id)
WHERE i.round_id = ? AND i.kind = 'perturbed'
ORDER BY i.item_id;
