-- Responses that a judge was asked about, with its first classification, for people who check judges. Repeated judgings
-- by the same judge are left out.
SELECT
    a.response_id, a.item_id, a.respondent, a.replicate, j.judge, j.predicted, a.response, i.question, i.expected,
    i.answers, list_transform(i.passages, lambda x: {'text': x.text, 'relevant': x.relevant}) AS passages
FROM live_judgements j
JOIN live_responses a USING (round_id, response_id)
JOIN live_items i ON i.round_id = a.round_id AND i.item_id = a.item_id
JOIN evaluations e ON e.round_id = j.round_id AND e.judge = j.judge AND e.respondent = j.respondent
WHERE j.round_id = ? AND coalesce(j.judged_by, 'judge') = 'judge'
ORDER BY j.judge, a.response_id;
