-- Judgements of the responses of a round. Repeated judgings by the same judge are left out.
SELECT DISTINCT
    j.item_id, j.respondent, a.replicate, i.base_id AS source_id, j.judge, e.judge_digest, j.predicted, j.correct,
    j.judged_by
FROM live_judgements j
JOIN live_responses a USING (round_id, response_id)
JOIN live_items i ON i.round_id = j.round_id AND i.item_id = j.item_id
JOIN evaluations e ON e.round_id = j.round_id AND e.judge = j.judge
WHERE j.round_id = ?
ORDER BY j.judge, j.item_id, j.respondent, a.replicate;
