-- The grades of each line of a file in its round.
SELECT l.line, g.proposition, g.probability
FROM live_file_lines l
JOIN live_grades g ON g.round_id = l.round_id AND g.subject_id = l.subject_id
WHERE l.round_id = ?
ORDER BY l.line;
