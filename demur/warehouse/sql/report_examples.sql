-- One item of each stratum: the one with the smallest id, which is a hash and so as good as drawn by lot.
SELECT
    i.class, i.intensity, i.lever, i.generator, i.expected,
    b.question AS original_question, i.question,
    list_transform(b.passages, lambda x: x.text) AS original_passages,
    list_transform(i.passages, lambda x: x.text) AS passages,
    p.reasoning
FROM live_items i
JOIN live_base_instances b USING (round_id, base_id)
JOIN live_perturbations p USING (round_id, perturbation_id)
WHERE i.round_id = ? AND i.kind = 'perturbed'
QUALIFY row_number() OVER (PARTITION BY i.class, i.intensity ORDER BY i.item_id) = 1
ORDER BY i.class, CASE i.intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
