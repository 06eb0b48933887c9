-- What people found in a round's items over all criteria; pairs of readers who agree on every item have no kappa and need none.
SELECT
    r.readers, r.items, r.pass_rate, r.low, r.high,
    a.pairs, a.kappa, a.agreed
FROM audit_pass_rate_rollups r
LEFT JOIN (
    SELECT round_id, count(*) AS pairs, min(value) AS kappa, bool_and(value IS NOT NULL OR observed = 1) AS agreed
    FROM audit_agreement WHERE criterion = 'overall' AND coefficient = 'cohen' GROUP BY ALL
) a USING (round_id)
WHERE r.round_id = ? AND r.criterion = 'overall';
