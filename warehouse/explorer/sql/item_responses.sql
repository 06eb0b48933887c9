-- Its responses, one row per respondent, replicate and judge.
SELECT
    r.respondent, r.replicate, r.response_id, r.response, r.confidence, j.judge, j.predicted, j.quality, j.eligible,
    j.supported_all, j.supported_relevant, j.correct, j.explanation, j.other_codes, o.response_kind, o.is_right,
    j.unit_id AS judge_unit_id
FROM live_responses r
LEFT JOIN live_judgements j USING (round_id, response_id)
LEFT JOIN response_outcomes o
    ON o.round_id = r.round_id AND o.item_id = $id AND o.response_id = r.response_id AND o.judge = j.judge
WHERE r.round_id = $round AND r.item_id = $id
ORDER BY r.respondent, r.replicate, j.judge;
