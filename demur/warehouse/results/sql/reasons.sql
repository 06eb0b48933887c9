-- Reasons for declined and rejected perturbations.
SELECT by_whom, who, reason, CAST(sum(perturbations) AS BIGINT) AS perturbations
FROM rejection_reasons WHERE round_id = $round
GROUP BY ALL
ORDER BY perturbations DESC, by_whom, who, reason;
