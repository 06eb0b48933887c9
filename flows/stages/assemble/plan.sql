SELECT
    p.perturbation_id, p.base_id, p.class, p.intensity, p.generator, p.lever_id, p.lever,
    p.question, p.changed
FROM accepted_perturbations p
WHERE p.round_id = ?
ORDER BY p.perturbation_id;
