-- Agreement of keys with what respondents' instructions demand, by stratum, lowest first.
SELECT
    class, intensity, items, readings, agreement, defensible / readings AS defensible_share, is_contested,
    count(*) FILTER (is_contested) OVER () AS contested, count(*) OVER () AS strata
FROM key_agreement
WHERE round_id = $round
ORDER BY agreement, class, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END;
