-- The paired tests of two respondents, as the first less the second.
SELECT
    metric, items, sources,
    CASE WHEN first = $a THEN difference ELSE -difference END AS difference,
    CASE WHEN first = $a THEN low ELSE -high END AS low,
    CASE WHEN first = $a THEN high ELSE -low END AS high,
    p_value, p_value_holm, mcnemar_p_value, mcnemar_p_value_holm, minimum_detectable, reason
FROM live_paired_tests
WHERE round_id = $round AND judge = $judge AND ((first = $a AND second = $b) OR (first = $b AND second = $a))
ORDER BY metric;
