-- The verdicts on a perturbation, one row per verifier and attempt.
SELECT * EXCLUDE (round_id, call_id, perturbation_id, class, intensity, generator, overall, unit_id), unit_id
FROM live_verdicts WHERE round_id = $round AND perturbation_id = $id
ORDER BY verifier, attempt;
