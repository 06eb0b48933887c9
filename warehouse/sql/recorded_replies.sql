-- How many replies of each model behind a round's rows were read from a recording, and how many of those answered another
-- wording of the prompt.
SELECT c.model, count(*) AS replies, count(*) FILTER (c.earlier_prompt) AS earlier_prompts
FROM calls c
SEMI JOIN units u ON u.round_id = ? AND u.stage = c.stage AND u.unit_id = c.unit_id
WHERE c.earlier_prompt IS NOT NULL
GROUP BY c.model
ORDER BY c.model;
