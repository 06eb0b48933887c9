SELECT
    p.perturbation_id, p.base_id, p.class, p.intensity, p.generator, p.lever_id, p.lever,
    p.question, p.changed, d.pretested, d.right_responses
FROM accepted_perturbations p
LEFT JOIN pretested_perturbations d USING (round_id, perturbation_id)
WHERE p.round_id = ? AND coalesce(d.may_count, true)
ORDER BY p.perturbation_id;
