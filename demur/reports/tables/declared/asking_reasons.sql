-- Questions of documents by reason of rejection. All reasons of askers, which are free words, count as one reason.
SELECT
    by_whom,
    CASE by_whom WHEN 'asker' THEN 'nothing to ask, in the asker''s own words' ELSE replace(reason, '_', ' ') END AS reason,
    sum(questions)::BIGINT AS questions
FROM asking_reasons
WHERE round_id = $round
GROUP BY ALL
ORDER BY 3 DESC, 1, 2;
