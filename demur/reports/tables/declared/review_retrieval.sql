-- Retrieval of a system from its index, by class: the share of relevant passages that were retrieved, and the share of
-- items whose defect was retrieved. Missed refusals are counted with and without the defect among the passages.
WITH asked AS (
    SELECT i.item_id, i.kind, coalesce(i.class, 'control') AS class, i.expected, a.retrieved, j.predicted,
        [i.item_id || ':' || p.index FOR p IN i.passages IF p.relevant] AS relevant,
        [i.item_id || ':' || p.index FOR p IN i.passages IF NOT list_contains([o.text FOR o IN b.passages], p.text)] AS planted
    FROM live_items i
    JOIN live_base_instances b USING (round_id, base_id)
    JOIN live_responses a ON a.round_id = i.round_id AND a.item_id = i.item_id AND a.respondent = $respondent
    LEFT JOIN live_judgements j ON j.round_id = a.round_id AND j.response_id = a.response_id AND j.judge = $judge
    JOIN rounds r ON r.round_id = i.round_id
    WHERE i.round_id = $round AND a.retrieved IS NOT NULL AND r.config ->> '$.passages' = 'index'
), seen AS (
    SELECT *,
        len(list_intersect(relevant, retrieved)) / nullif(len(relevant), 0) AS recall,
        CASE WHEN len(planted) > 0 THEN list_has_any(planted, retrieved) END AS sees,
        expected <> 'ANSWER_CORRECTLY' AND predicted = 'ANSWER_ATTEMPT' AS missed
    FROM asked
)
SELECT
    class, count(*) AS items, avg(recall) AS recall,
    count(sees) AS planted, avg(CAST(sees AS DOUBLE)) AS sees,
    count(*) FILTER (missed AND coalesce(sees, true)) AS missed_seen,
    count(*) FILTER (missed AND NOT sees) AS missed_unseen
FROM seen
GROUP BY class
ORDER BY sees NULLS LAST, class;
