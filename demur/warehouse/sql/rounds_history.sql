-- Calibrated refusal scores of the rounds of one configuration, the oldest first; further judgings of a judge are left out.
WITH judgings AS (SELECT DISTINCT round_id, respondent, judge FROM evaluations)
SELECT
    b.respondent || CASE WHEN count(DISTINCT b.judge) OVER () > 1 THEN ', judged by ' || b.judge ELSE '' END AS respondent,
    b.round_id, NULL AS occasion, r.started_at AS evaluated_at, b.state,
    b.calibrated_refusal_score AS value, b.crs_low AS low, b.crs_high AS high, NULL AS reason
FROM leaderboard b
JOIN judgings USING (round_id, respondent, judge)
JOIN round_origins r USING (round_id)
WHERE r.name = ? AND r.kind = 'round'
ORDER BY 1, r.started_at, b.round_id;
