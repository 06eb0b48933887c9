-- Fingerprints of the models that gave a round's responses and judgements; null if the request is not known.
SELECT 'respondent' AS role, a.respondent AS label, c.fingerprint
FROM live_responses a LEFT JOIN calls c USING (call_id)
WHERE a.round_id = $1
UNION
SELECT 'judge', j.judge, c.fingerprint
FROM live_judgements j LEFT JOIN calls c USING (call_id)
WHERE j.round_id = $1
ORDER BY ALL;
