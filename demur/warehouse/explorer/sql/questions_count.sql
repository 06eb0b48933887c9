-- How many questions of documents a list holds.
SELECT count(*) AS questions
FROM question_outcomes o
-- include questions_where
