SELECT perturbation_id, base_id, class, intensity, generator, lever_id, lever, question, changed
FROM accepted_perturbations
WHERE round_id = ?
ORDER BY perturbation_id;
