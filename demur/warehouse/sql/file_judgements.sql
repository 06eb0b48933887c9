-- What the judge of a file's round says of each line.
SELECT l.line, j.predicted, j.correct
FROM live_file_lines l
JOIN live_judgements j ON j.round_id = l.round_id AND j.response_id = l.subject_id
WHERE l.round_id = ?
ORDER BY l.line;
