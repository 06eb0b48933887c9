-- Expectations of the stage match for questions of people.

-- passages_unknown: passage_ids
-- Every question names passages that the round has read.
SELECT q.unit_id, q.question_id, q.passage_id
FROM (
    SELECT round_id, unit_id, question_id, unnest(passage_ids) AS passage_id FROM live_questions
    WHERE round_id = $round_id AND asker = 'people'
) q
ANTI JOIN live_passages p USING (round_id, passage_id);
