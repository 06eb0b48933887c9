-- The largest correlation of items of one source question in the newest round that has such values. Imported rounds are
-- left out. If a configuration is given, only its rounds count.
SELECT d.round_id, d.respondent, d.icc
FROM round_precision d
JOIN round_origins r USING (round_id)
WHERE NOT r.is_imported AND d.icc IS NOT NULL AND (CAST($1 AS VARCHAR) IS NULL OR r.name = CAST($1 AS VARCHAR))
ORDER BY r.started_at DESC, d.icc DESC, d.respondent
LIMIT 1;
