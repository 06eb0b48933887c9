-- Numbers of a round: documents read, documents left out, different passage texts, units asked, accepted questions, questions
-- of people.
SELECT
    (SELECT count(*) FROM live_documents WHERE round_id = $1 AND status = 'read') AS documents,
    (SELECT count(*) FROM live_documents WHERE round_id = $1 AND status = 'left_out') AS left_out,
    (SELECT count(DISTINCT digest) FROM live_passages WHERE round_id = $1) AS passages,
    (SELECT count(*) FROM passages_asked WHERE round_id = $1) AS asked,
    (SELECT count(*) FROM accepted_questions WHERE round_id = $1) AS accepted,
    (SELECT count(*) FROM live_questions WHERE round_id = $1 AND asker = 'people') AS own,
    (SELECT count(*) FROM question_outcomes
     WHERE round_id = $1 AND asker = 'people' AND outcome = 'rejected'
         AND reason IN ('near_duplicate', 'used_passage')) AS repeated,
    (SELECT count(*) FROM unanswered_questions WHERE round_id = $1) AS unanswered;
