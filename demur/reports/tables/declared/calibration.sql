SELECT * EXCLUDE (round_id, gap)
FROM (
    FROM calibration_bins WHERE round_id = $round
    UNION ALL BY NAME
    SELECT *, 'all' AS part FROM calibration_bin_rollups WHERE round_id = $round
)
ORDER BY judge, respondent, part, midpoint DESC;
