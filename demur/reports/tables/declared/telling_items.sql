-- Up to 12 items of every stratum with all judged replies. A report takes its examples from these items.
WITH chosen AS (
    SELECT round_id, item_id FROM live_items
    WHERE round_id = $round AND kind = 'perturbed'
    QUALIFY row_number() OVER (PARTITION BY class, intensity ORDER BY item_id) <= 12
), said AS (
    SELECT item_id, list({
        'respondent': respondent, 'replicate': replicate, 'judge': judge, 'response': response, 'predicted': predicted,
        'explanation': explanation, 'is_right': is_right
    } ORDER BY respondent, replicate, judge) AS replies
    FROM item_responses SEMI JOIN chosen USING (round_id, item_id)
    WHERE predicted IS NOT NULL
    GROUP BY item_id
)
SELECT
    i.item_id, i.class, i.intensity, i.lever, i.expected, b.question AS original_question, i.question, b.answers,
    list_transform(b.passages, lambda x: x.text) AS original_passages,
    list_transform(i.passages, lambda x: x.text) AS passages,
    s.replies
FROM live_items i
SEMI JOIN chosen USING (round_id, item_id)
JOIN live_base_instances b USING (round_id, base_id)
LEFT JOIN said s USING (item_id)
ORDER BY i.item_id;
