-- Numbers of replies from a recording in a round, by model, and how many of them answered another wording of the
-- prompt. Replies to repaired perturbations and verdicts on these perturbations are included.
WITH repaired AS (
    SELECT DISTINCT repair_of AS perturbation_id FROM perturbations WHERE round_id = $1 AND repair_of IS NOT NULL
), asked AS (
    SELECT stage, unit_id FROM units WHERE round_id = $1
    UNION
    SELECT 'generate', unit_id FROM perturbations SEMI JOIN repaired USING (perturbation_id) WHERE round_id = $1
    UNION
    SELECT 'verify', unit_id FROM verdicts SEMI JOIN repaired USING (perturbation_id) WHERE round_id = $1
)
SELECT c.model, count(*) AS replies, count(*) FILTER (c.earlier_prompt) AS earlier_prompts
FROM calls c
SEMI JOIN asked USING (stage, unit_id)
WHERE c.earlier_prompt IS NOT NULL
GROUP BY c.model
ORDER BY c.model;
