-- For every candidate and verifier, whether the verifier passes the candidate; null without a readable verdict.
SELECT
    p.perturbation_id, p.base_id AS source_id, p.class, p.intensity, p.generator, verifiers.verifier,
    CASE WHEN v.outcome IS NOT NULL THEN v.outcome = 'pass' END AS passed
FROM rounds r
JOIN candidates p USING (round_id)
CROSS JOIN unnest(r.verifiers) AS verifiers(verifier)
LEFT JOIN counting_verdicts v
    ON v.round_id = r.round_id AND v.perturbation_id = p.perturbation_id AND v.verifier = verifiers.verifier
WHERE r.round_id = ?
ORDER BY p.perturbation_id, verifiers.verifier;
