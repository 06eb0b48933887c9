-- Fingerprints of the models that gave a round's responses and judgements; null if the request is not known. Judgements
-- without a request (`judged_by`) do not depend on the judge's model.
SELECT 'respondent' AS role, a.respondent AS label, true AS is_asked, c.fingerprint
FROM live_responses a LEFT JOIN calls c USING (call_id)
WHERE a.round_id = $1
UNION
SELECT 'judge', j.judge, coalesce(j.judged_by, 'judge') = 'judge', c.fingerprint
FROM live_judgements j LEFT JOIN calls c USING (call_id)
WHERE j.round_id = $1
ORDER BY ALL;
