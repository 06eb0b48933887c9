SELECT
    class, intensity,
    round(generate_usd, 6) AS generate_usd, round(verify_usd, 6) AS verify_usd, round(measure_usd, 6) AS measure_usd,
    round(counted_usd, 6) AS counted_usd, items, round(usd_per_item, 6) AS usd_per_item
FROM costs_by_stratum
WHERE round_id = $round;
