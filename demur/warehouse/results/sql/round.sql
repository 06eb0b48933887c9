SELECT
    r.round_id, r.name AS configuration, CASE WHEN o.is_imported THEN 'imported' ELSE r.status END AS status,
    r.seed, r.layout, r.started_at, r.started_by, r.finished_at, coalesce(d.bases, r.bases_wanted) AS bases, r.screeners, r.generators, r.verifiers,
    r.respondents, r.judges, r.config_digest, o.release_evaluated,
    (SELECT list(name || '/' || version ORDER BY created_at) FROM releases f WHERE f.round_id = r.round_id) AS releases
FROM rounds r
JOIN round_origins o USING (round_id)
LEFT JOIN (SELECT round_id, count(*) AS bases FROM round_bases GROUP BY ALL) d USING (round_id)
WHERE r.round_id = $round;
