-- Numbers of perturbations from request to item, by stratum.
SELECT class, intensity, asked, declined, rejected, duplicates, candidates, accepted, rejected_by_verifiers, acceptance, items, wanted, shortfall
FROM yield_by_stratum
WHERE round_id = $round
ORDER BY class, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
