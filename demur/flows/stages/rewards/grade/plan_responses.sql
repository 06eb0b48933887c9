SELECT
    r.response_id, r.class, r.intensity, r.response,
    i.question, i.answers, i.passages, i.expected, i.language
FROM live_responses r
JOIN live_items i USING (round_id, item_id)
WHERE r.round_id = ?
ORDER BY r.response_id;
