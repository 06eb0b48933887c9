-- The five levers with the lowest share of accepted perturbations among attempts; levers without attempts are left out.
SELECT
    lever_id AS lever, intensity,
    coalesce(assigned, pulled) AS tried,
    pulled, candidates, accepted
FROM lever_coverage
WHERE round_id = $round AND coalesce(assigned, pulled) > 0 AND accepted < coalesce(assigned, pulled)
ORDER BY accepted / coalesce(assigned, pulled), tried DESC, lever_id
LIMIT 5;
