-- Dollars per response and calibrated refusal score of each respondent.
SELECT
    l.respondent, l.judge, l.calibrated_refusal_score, l.crs_low, l.crs_high, l.responses,
    c.cost_usd / nullif(l.responses, 0) AS usd_per_response
FROM leaderboard l
LEFT JOIN respondent_prompts w ON w.round_id = l.round_id AND w.respondent = l.respondent
LEFT JOIN (
    SELECT round_id, model, sum(cost_usd) AS cost_usd FROM costs_by_model WHERE stage = 'respond' GROUP BY ALL
) c ON c.round_id = l.round_id AND c.model = coalesce(w.model, l.respondent)
WHERE l.round_id = $round AND l.judge = $judge
ORDER BY l.calibrated_refusal_score DESC NULLS LAST, l.respondent;
