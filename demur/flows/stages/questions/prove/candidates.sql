-- Questions of a round that passed the code checks, in the round's seeded order of passages. Those of people come first:
-- of two that ask the same, the later one is rejected as a near-duplicate.
SELECT question_id, question, answers, kind, language, passage_ids, asker
FROM live_questions
WHERE round_id = $1 AND status = 'candidate'
ORDER BY asker <> 'people', turn, passage_ids, number;
