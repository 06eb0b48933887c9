-- The largest design effect in the newest round that has one, of one configuration where it is named.
SELECT d.round_id, d.respondent, d.design_effect, d.items / d.sources AS per_source
FROM round_reach d
JOIN rounds r USING (round_id)
WHERE d.design_effect > 0 AND (CAST(? AS VARCHAR) IS NULL OR r.name = CAST(? AS VARCHAR))
ORDER BY r.started_at DESC, d.design_effect DESC, d.respondent
LIMIT 1;
