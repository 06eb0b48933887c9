-- Questions that earlier rounds accepted, and those that people dropped of them, with the digests of their passages.
SELECT a.question_id, any_value(a.question) AS question, any_value(a.answers) AS answers, list(p.digest) AS digests
FROM (SELECT *, unnest(passage_ids) AS passage_id FROM question_outcomes WHERE outcome = 'accepted' OR by_whom = 'people') a
JOIN live_passages p USING (round_id, passage_id)
JOIN rounds r USING (round_id)
WHERE r.started_at < (SELECT started_at FROM rounds WHERE round_id = $1)
GROUP BY a.question_id
ORDER BY a.question_id;
