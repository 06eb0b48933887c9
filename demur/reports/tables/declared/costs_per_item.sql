SELECT
    accepted, items, round(make_usd, 6) AS make_usd, round(measure_usd, 6) AS measure_usd,
    round(make_usd_per_accepted, 6) AS make_usd_per_accepted, round(make_usd_per_item, 6) AS make_usd_per_item,
    round(usd_per_item, 6) AS usd_per_item
FROM cost_per_item
WHERE round_id = $round;
