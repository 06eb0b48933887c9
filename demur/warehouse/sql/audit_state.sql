-- Pass rate over all criteria and lowest kappa of a round's audit. `agreed` is true if every pair of readers has a
-- kappa or agrees on every item, so that no kappa is needed.
SELECT
    r.readers, r.items, r.pass_rate, r.low, r.high,
    a.pairs, a.kappa, a.agreed
FROM audit_pass_rate_rollups r
LEFT JOIN (
    SELECT round_id, count(*) AS pairs, min(value) AS kappa, bool_and(value IS NOT NULL OR observed = 1) AS agreed
    FROM audit_agreement WHERE criterion = 'overall' AND coefficient = 'cohen' GROUP BY ALL
) a USING (round_id)
WHERE r.round_id = ? AND r.criterion = 'overall';
