-- Expectations of the stage write for completions.

-- rows_of_another_round: round_id
-- No completion for an item was made in another round; completions for a policy's own prompts may be.
SELECT t.round_id, t.unit_id
FROM units u
JOIN completions t USING (unit_id)
WHERE u.round_id = $round_id AND u.stage = 'write' AND t.round_id <> u.round_id
    AND (t.class IS NOT NULL OR t.prompt_id IN (SELECT item_id FROM live_items WHERE round_id = $round_id));

-- without_item: prompt_id
-- Every completion with a class belongs to an item.
SELECT t.unit_id, t.completion_id, t.prompt_id
FROM live_completions t
ANTI JOIN live_items i ON i.round_id = t.round_id AND i.item_id = t.prompt_id
WHERE t.round_id = $round_id AND t.class IS NOT NULL;

-- unlike_item: class, intensity
-- Class and intensity of a completion are those of its item.
SELECT t.unit_id, t.completion_id, t.prompt_id
FROM live_completions t
JOIN live_items i ON i.round_id = t.round_id AND i.item_id = t.prompt_id
WHERE t.round_id = $round_id AND (t.class, t.intensity) IS DISTINCT FROM (i.class, i.intensity);

-- without_intention: intended
-- Every completion says which propositions it is meant to make true.
SELECT unit_id, completion_id
FROM live_completions
WHERE round_id = $round_id AND len(intended) = 0;
