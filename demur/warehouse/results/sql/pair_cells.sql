-- Numbers of items on which both, one or neither of two respondents are right, by stratum.
WITH a AS (
    SELECT item_id, kind, class, intensity, bool_and(is_right) AS is_right FROM response_outcomes
    WHERE round_id = $round AND respondent = $a AND judge = $judge AND is_right IS NOT NULL AND kind = 'perturbed'
    GROUP BY ALL
), b AS (
    SELECT item_id, bool_and(is_right) AS is_right FROM response_outcomes
    WHERE round_id = $round AND respondent = $b AND judge = $judge AND is_right IS NOT NULL AND kind = 'perturbed'
    GROUP BY ALL
)
SELECT
    a.class, a.intensity, count(*) AS items,
    count(*) FILTER (a.is_right AND b.is_right) AS both,
    count(*) FILTER (a.is_right AND NOT b.is_right) AS only_first,
    count(*) FILTER (NOT a.is_right AND b.is_right) AS only_second,
    count(*) FILTER (NOT a.is_right AND NOT b.is_right) AS neither
FROM a JOIN b USING (item_id)
GROUP BY a.class, a.intensity
ORDER BY a.class, CASE a.intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
