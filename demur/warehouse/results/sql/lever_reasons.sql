-- Reasons for declined and rejected perturbations of a lever.
WITH mine AS (
    SELECT round_id, id FROM item_states
    WHERE round_id = $round AND (lever_id = $lever OR (lever_id IS NULL AND assigned_lever_id = $lever))
)
SELECT 'declined' AS by_whom, generator AS who, reason, count(*) AS perturbations
FROM item_states s SEMI JOIN mine USING (round_id, id) WHERE s.status = 'declined' GROUP BY ALL
UNION ALL BY NAME
SELECT
    'code check' AS by_whom, check_name AS who,
    regexp_replace(regexp_replace(evidence, '''.*''', '''...'''), '[0-9a-f]{32}|[0-9]+', 'N', 'g') AS reason,
    count(*) AS perturbations
FROM live_checks c JOIN mine m ON m.round_id = c.round_id AND m.id = c.perturbation_id
WHERE c.outcome = 'fail' GROUP BY ALL
UNION ALL BY NAME
SELECT 'verifier' AS by_whom, verifier AS who, issue AS reason, count(*) AS perturbations
FROM counting_verdicts v JOIN mine m ON m.round_id = v.round_id AND m.id = v.perturbation_id,
    unnest(v.issues) AS listed(issue)
WHERE v.outcome IN ('fail', 'inconsistent') GROUP BY ALL
ORDER BY perturbations DESC, by_whom, who, reason;
