-- The number of questions of documents in a list.
SELECT count(*) AS questions
FROM question_outcomes o
-- include questions_where
