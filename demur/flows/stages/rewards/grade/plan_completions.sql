SELECT
    c.completion_id, c.policy, c.behaviour, c.class, c.intensity, c.prompt, c.completion,
    i.question, i.answers, i.passages, i.expected, i.language, NULL AS propositions
FROM live_completions c
LEFT JOIN live_items i ON i.round_id = c.round_id AND i.item_id = c.prompt_id
WHERE c.round_id = $1
UNION ALL
SELECT DISTINCT ON (subject_id)
    subject_id, policy, behaviour, NULL, NULL, prompt, completion,
    question, answers, passages, expected, NULL, propositions
FROM live_file_lines
WHERE round_id = $1
ORDER BY completion_id;
