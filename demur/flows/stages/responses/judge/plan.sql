SELECT
    r.response_id, r.item_id, r.respondent, r.class, r.intensity, r.response,
    r.invalid_reason, r.refused_by_provider,
    i.question, i.answers, i.passages, i.expected, i.language
FROM live_responses r
JOIN live_items i USING (round_id, item_id)
WHERE r.round_id = $1
UNION ALL
SELECT DISTINCT ON (subject_id)
    subject_id, subject_id, 'file', NULL, NULL, completion,
    NULL, NULL,
    question, answers, passages, expected, NULL
FROM live_file_lines
WHERE round_id = $1
ORDER BY response_id;
