-- Strata with too few items, or with items from fewer than three levers. They need new levers.
SELECT
    y.class, y.intensity, y.wanted, y.items, y.shortfall, c.on_offer, c.pulled, c.with_items,
    CASE WHEN y.shortfall > 0 THEN 'short of items' ELSE 'few levers' END AS why
FROM yield_by_stratum y
JOIN lever_coverage_by_stratum c USING (round_id, class, intensity)
WHERE y.round_id = $round AND (y.shortfall > 0 OR c.with_items < 3)
ORDER BY y.shortfall DESC, c.with_items, y.class, y.intensity;
