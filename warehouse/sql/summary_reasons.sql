-- The commonest reasons why perturbations did not go on, over all strata and models. Rules that decline say one reason
-- for every lever they tried, as "lever: reason (detail); ..."; here the reasons alone count, each once.
WITH plain AS (
    SELECT
        by_whom,
        CASE WHEN by_whom = 'declined' THEN 'generators' ELSE who END AS who,
        CASE WHEN by_whom = 'declined' THEN coalesce(nullif(array_to_string(list_sort(list_distinct(list_transform(
            regexp_extract_all(reason, '(?:^|; )[^:;]+: ([^;(]+)', 1), lambda said: trim(said)
        ))), '; '), ''), reason) ELSE reason END AS reason,
        perturbations
    FROM rejection_reasons
    WHERE round_id = ?
)
SELECT
    by_whom AS "by", who,
    CASE WHEN length(reason) > 72 THEN rtrim(left(reason, 71)) || '…' ELSE reason END AS reason,
    sum(perturbations)::BIGINT AS perturbations
FROM plain
GROUP BY ALL
ORDER BY 4 DESC, 1, 2, 3
LIMIT 6;
