-- The most frequent reasons for rejected and declined perturbations, over all strata and generators. All reasons that
-- models gave in free words when they declined count as one reason.
SELECT
    by_whom,
    CASE WHEN by_whom = 'declined' THEN 'generators' ELSE who END AS who,
    CASE
        WHEN by_whom = 'declined' AND NOT regexp_full_match(reason, '[a-z]+(_[a-z]+)*') THEN 'in a model''s own words'
        WHEN length(reason) > 72 THEN rtrim(left(reason, 71)) || '…'
        ELSE reason
    END AS reason,
    sum(perturbations)::BIGINT AS perturbations
FROM rejection_reasons
WHERE round_id = $round
GROUP BY ALL
ORDER BY 4 DESC, 1, 2, 3
LIMIT 12;
