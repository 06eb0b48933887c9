-- Numbers of each generator's perturbations in rounds other than this one.
SELECT
    p.generator,
    count(*) AS asked,
    count(*) FILTER (c.perturbation_id IS NOT NULL) AS candidates,
    count(*) FILTER (a.perturbation_id IS NOT NULL) AS accepted,
    count(*) FILTER (p.repair > 0) AS repaired
FROM live_perturbations p
LEFT JOIN candidates c USING (round_id, perturbation_id)
LEFT JOIN accepted_perturbations a USING (round_id, perturbation_id)
WHERE p.round_id <> ?
GROUP BY ALL;
