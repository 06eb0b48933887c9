-- Calibrated refusal scores of the rounds of one configuration, the oldest first.
SELECT b.respondent, b.round_id, NULL AS occasion, r.started_at AS evaluated_at, b.state,
    b.calibrated_refusal_score AS value, b.crs_low AS low, b.crs_high AS high, NULL AS reason
FROM leaderboard b
JOIN round_origins r USING (round_id)
WHERE r.name = ? AND r.release_evaluated IS NULL AND NOT r.is_imported
ORDER BY b.respondent, r.started_at, b.round_id;
