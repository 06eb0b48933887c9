-- Questions that earlier rounds asked about passages whose texts this round has too, by digest of the text.
SELECT DISTINCT p.digest, q.question
FROM (
    SELECT round_id, question, unnest(passage_ids) AS passage_id FROM live_questions
    -- passages of a rejected question of people are only the nearest ones, which it need not be about
    WHERE status <> 'declined' AND NOT (asker = 'people' AND status = 'rejected')
) q
JOIN live_passages p USING (round_id, passage_id)
JOIN rounds r USING (round_id)
SEMI JOIN (SELECT digest FROM live_passages WHERE round_id = $1) USING (digest)
WHERE r.started_at < (SELECT started_at FROM rounds WHERE round_id = $1)
ORDER BY p.digest, q.question;
