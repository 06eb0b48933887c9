-- Numbers and difficulty of a lever's perturbations in all rounds, newest round first.
WITH answered AS (
    SELECT round_id, 1 - avg(CAST(is_right AS DOUBLE)) AS difficulty
    FROM response_outcomes
    WHERE lever_id = $lever AND kind = 'perturbed' AND is_right IS NOT NULL
    GROUP BY ALL
)
SELECT
    l.round_id, r.started_at, l.asked, l.pulled, l.candidates, l.accepted, l.acceptance, l.items, a.difficulty
FROM lever_coverage l
JOIN rounds r USING (round_id)
LEFT JOIN answered a USING (round_id)
WHERE l.lever_id = $lever
ORDER BY r.started_at DESC, l.round_id;
