-- One perturbed item beside its base instance, without verdicts, responses and marks.
SELECT
    i.item_id AS id, i.class, i.intensity, i.lever_id, i.lever, i.expected, i.question, i.passages,
    b.question AS original_question, b.answers, b.passages AS original_passages
FROM live_items i
JOIN live_base_instances b USING (round_id, base_id)
WHERE i.round_id = $round AND i.item_id = $id AND i.kind = 'perturbed';
