-- Expectations of the stage read for the lines of a file.

-- alike_but_different: subject_id
-- Lines with the same subject have the same prompt and completion.
SELECT subject_id, count(DISTINCT (prompt, completion)) AS texts
FROM live_file_lines
WHERE round_id = $round_id
GROUP BY ALL
HAVING texts > 1;
