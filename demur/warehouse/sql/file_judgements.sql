-- The judgement of each line of a file in its round.
SELECT l.line, j.predicted, j.correct, j.judged_by
FROM live_file_lines l
JOIN live_judgements j ON j.round_id = l.round_id AND j.response_id = l.subject_id
WHERE l.round_id = ?
ORDER BY l.line;
