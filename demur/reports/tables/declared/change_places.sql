-- Places of the changes of a round's items, and words added, by class; the first row sums over all classes.
SELECT
    coalesce(class, 'all classes') AS class,
    count(*) AS items,
    avg(CAST(change_place = 'end of the question' AS DOUBLE)) FILTER (NOT in_passages) AS question_end,
    count(*) FILTER (in_passages) AS with_passages,
    avg(CAST(change_place = 'last sentence' AS DOUBLE)) FILTER (in_passages) AS last_sentence,
    avg(CAST(change_place = 'whole passage' AS DOUBLE)) FILTER (in_passages) AS whole_passage,
    median(words_added) AS words_added
FROM (
    SELECT *, change_place NOT IN ('question', 'end of the question') AS in_passages
    FROM live_items
    WHERE round_id = $round AND kind = 'perturbed' AND change_place IS NOT NULL
)
GROUP BY ROLLUP (class)
HAVING count(*) > 0
ORDER BY class IS NOT NULL AND class <> 'all classes', class;
