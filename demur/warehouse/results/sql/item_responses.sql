-- The responses to an item, one row per respondent, replicate and judge.
SELECT
    r.respondent, r.replicate, r.response_id, r.response, r.reasoning, r.invalid_reason,
    r.refused_by_provider, r.is_cut, j.is_mixed, r.confidence, j.judge, j.predicted, j.quality, j.eligible,
    j.supported_all, j.supported_relevant, j.correct, j.explanation, j.other_codes, j.contradiction, o.response_kind, o.is_right,
    j.unit_id AS judge_unit_id
FROM response_outcomes o
JOIN responses r ON r.response_id = o.response_id AND r.item_id = $id
LEFT JOIN judgements j ON j.unit_id = o.judge_unit_id AND j.item_id = $id
WHERE o.round_id = $round AND o.item_id = $id
ORDER BY r.respondent, r.replicate, j.judge;
