-- Expectations of the stage ask for questions.

-- passages_unknown: passage_ids
-- Every question is about passages that the round has read.
SELECT q.unit_id, q.question_id, q.passage_id
FROM (
    SELECT round_id, unit_id, question_id, unnest(passage_ids) AS passage_id FROM live_questions WHERE round_id = $round_id
) q
ANTI JOIN live_passages p USING (round_id, passage_id);

-- asker_unknown: asker
-- Every question comes from the asker of the round.
SELECT t.unit_id, t.question_id, t.asker
FROM live_questions t
JOIN rounds r USING (round_id)
WHERE t.round_id = $round_id AND t.asker <> 'people' AND t.asker IS DISTINCT FROM r.config ->> '$.roles.asker';

-- candidates_without_proof: proof
-- Every candidate has an answer, and sentences of each of its passages prove the answer.
SELECT unit_id, question_id
FROM live_questions
WHERE round_id = $round_id AND status = 'candidate'
    AND (len(answers) = 0 OR len(list_distinct(list_transform(proof, lambda span: span.passage))) <> len(passage_ids));

-- reasons_unlike_faults: status, faults
-- Every rejected question has a fault, and no other question has one.
SELECT unit_id, question_id, status
FROM live_questions
WHERE round_id = $round_id AND CASE status WHEN 'rejected' THEN len(faults) = 0 ELSE len(faults) > 0 END;
