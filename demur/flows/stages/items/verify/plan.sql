-- Candidates to be verified.
SELECT
    p.perturbation_id, p.base_id, p.class, p.intensity, p.generator, p.lever_id,
    p.question AS perturbed_question, p.changed,
    b.question, b.answers, b.passages, b.language
FROM candidates p
JOIN round_bases b USING (round_id, base_id)
WHERE p.round_id = ?
ORDER BY b.draw, p.class, p.intensity, p.generator, p.replicate;
