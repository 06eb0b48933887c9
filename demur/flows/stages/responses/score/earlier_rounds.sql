-- Scored rounds of the same configuration, layout and scoring version that started before this round, newest first.
SELECT e.round_id
FROM rounds e
JOIN rounds r ON r.name = e.name AND r.layout = e.layout AND e.started_at < r.started_at
WHERE r.round_id = ? AND e.round_id IN (SELECT round_id FROM live_scores WHERE coalesce(scoring_version, 1) = ?)
ORDER BY e.started_at DESC, e.round_id;
