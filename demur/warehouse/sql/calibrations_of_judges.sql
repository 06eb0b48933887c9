-- The newest calibration of each of these judges, by aspect.
SELECT judge, judge_digest, aspect, responses, sources, observed, kappa, low, high, reason, labels_digest
FROM judge_calibrations
WHERE list_contains($1, judge_digest)
QUALIFY row_number() OVER (PARTITION BY judge_digest, aspect ORDER BY calibrated_at DESC, labels_digest) = 1
ORDER BY judge_digest, aspect;
