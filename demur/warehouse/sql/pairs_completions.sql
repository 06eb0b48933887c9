-- Written completions of a round, with the items that they were written for, if any.
SELECT
    c.policy, c.behaviour, c.prompt_id, c.label, c.completion_id, c.prompt, c.completion, i.question, i.passages
FROM live_completions c
LEFT JOIN live_items i ON i.round_id = c.round_id AND i.item_id = c.prompt_id
WHERE c.round_id = ?
ORDER BY c.policy, c.behaviour, c.prompt_id, c.label, c.variant, c.completion_id;
