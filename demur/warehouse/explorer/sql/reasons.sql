-- Why perturbations did not go on.
SELECT by_whom, who, reason, CAST(sum(perturbations) AS BIGINT) AS perturbations
FROM rejection_reasons WHERE round_id = $round
GROUP BY ALL
ORDER BY perturbations DESC, by_whom, who, reason;
