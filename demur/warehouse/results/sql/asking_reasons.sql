-- Reasons for rejected questions of documents, by decider.
SELECT by_whom, reason, CAST(sum(questions) AS BIGINT) AS questions
FROM asking_reasons WHERE round_id = $round
GROUP BY ALL
ORDER BY questions DESC, by_whom, reason;
