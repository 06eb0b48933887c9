-- What generators made and the verifiers accepted, with the base instances that it was made from.
SELECT
    p.perturbation_id, p.base_id, p.class, p.intensity, p.lever, p.question, p.changed,
    b.question AS base_question, b.answers, b.passages
FROM accepted_perturbations p
JOIN round_bases b USING (round_id, base_id)
WHERE p.round_id = ?
ORDER BY p.perturbation_id;
