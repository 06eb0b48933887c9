-- What the verifiers accepted and every probe missed, with the responses.
SELECT
    p.perturbation_id, p.base_id, p.class, p.intensity, p.generator, p.lever_id,
    p.question AS perturbed_question, p.changed,
    b.question, b.answers, b.passages, r.responses
FROM accepted_perturbations p
JOIN round_bases b USING (round_id, base_id)
JOIN (
    SELECT round_id, perturbation_id, list(DISTINCT response ORDER BY response) AS responses
    FROM live_pretests
    GROUP BY ALL
    HAVING count(*) FILTER (NOT is_right) = $2
) r USING (round_id, perturbation_id)
WHERE p.round_id = $1
ORDER BY p.perturbation_id;
