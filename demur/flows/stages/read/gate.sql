-- What the gate of read expects of the lines of a file.

-- alike_but_different: subject_id
-- Lines with one subject have the same texts.
SELECT subject_id, count(DISTINCT (prompt, completion)) AS texts
FROM live_file_lines
WHERE round_id = $round_id
GROUP BY ALL
HAVING texts > 1;
