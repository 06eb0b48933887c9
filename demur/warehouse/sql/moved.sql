-- How calibrated refusal scores moved since the round, or the evaluation, before.
SELECT d.respondent, d.judge, d.round_id, d.earlier_round_id, d.difference, d.low, d.high, d.reason,
    CASE WHEN d.low > 0 THEN 'up' WHEN d.high < 0 THEN 'down' ELSE 'no' END AS verdict
FROM score_drift d
JOIN rounds e ON e.round_id = d.earlier_round_id
WHERE list_contains($1, d.round_id) AND d.metric = 'calibrated_refusal_score'
QUALIFY row_number() OVER (PARTITION BY d.round_id, d.respondent, d.judge ORDER BY e.started_at DESC) = 1
ORDER BY d.round_id, d.respondent, d.judge;
