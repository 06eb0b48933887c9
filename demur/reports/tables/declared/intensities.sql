-- Share of refusals at every intensity, over all classes.
SELECT
    respondent, judge,
    any_value(value) FILTER (slice_value = 'LOW') AS low_rate,
    any_value(low) FILTER (slice_value = 'LOW') AS low_low, any_value(high) FILTER (slice_value = 'LOW') AS low_high,
    any_value(value) FILTER (slice_value = 'MEDIUM') AS medium_rate,
    any_value(low) FILTER (slice_value = 'MEDIUM') AS medium_low, any_value(high) FILTER (slice_value = 'MEDIUM') AS medium_high,
    any_value(value) FILTER (slice_value = 'HIGH') AS high_rate,
    any_value(low) FILTER (slice_value = 'HIGH') AS high_low, any_value(high) FILTER (slice_value = 'HIGH') AS high_high
FROM live_scores
WHERE round_id = $round AND slice = 'intensity' AND metric = 'refusal_rate'
GROUP BY ALL
ORDER BY respondent, judge;
