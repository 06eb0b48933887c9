SELECT
    c.completion_id, c.policy, c.behaviour, c.class, c.intensity, c.prompt, c.completion,
    i.question, i.answers, i.passages, i.expected
FROM live_completions c
LEFT JOIN live_items i ON i.round_id = c.round_id AND i.item_id = c.prompt_id
WHERE c.round_id = ?
ORDER BY c.completion_id;
