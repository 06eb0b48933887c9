SELECT
    r.response_id, r.item_id, r.respondent, r.class, r.intensity, r.response,
    i.question, i.answers, i.passages, i.expected
FROM live_responses r
JOIN live_items i USING (round_id, item_id)
WHERE r.round_id = ?
ORDER BY r.response_id;
