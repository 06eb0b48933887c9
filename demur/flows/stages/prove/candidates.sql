-- Questions of a round that passed the code checks, in the round's seeded order of passages.
SELECT question_id, question, answers, kind, language, passage_ids, asker
FROM live_questions
WHERE round_id = $1 AND status = 'candidate'
ORDER BY turn, passage_ids, number;
