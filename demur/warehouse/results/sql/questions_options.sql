-- The values by which lists of questions of documents can be filtered.
SELECT
    list_sort(list(DISTINCT outcome)) AS outcomes, list_sort(list(DISTINCT kind) FILTER (kind IS NOT NULL)) AS kinds,
    list_sort(list(DISTINCT language) FILTER (language IS NOT NULL)) AS languages
FROM question_outcomes WHERE round_id = $round;
