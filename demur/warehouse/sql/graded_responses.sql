-- Graded responses of a round with the items that they answer.
SELECT DISTINCT
    g.policy, g.behaviour, r.response_id, r.response AS completion, i.question AS prompt, i.question, i.passages
FROM live_grades g
JOIN live_responses r ON r.round_id = g.round_id AND r.response_id = g.subject_id
JOIN live_items i ON i.round_id = r.round_id AND i.item_id = r.item_id
WHERE g.round_id = ? AND g.subject_kind = 'response'
ORDER BY r.response_id;
