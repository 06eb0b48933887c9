-- What earlier rounds of the same configuration and layout say of levers, or of another factor; the mean over judges.
SELECT
    e.round_id, p.factor_value AS lever_id, max(p.items) AS items, avg(p.information) AS information,
    avg(p.information_low) AS low, avg(p.information_high) AS high
FROM live_item_parameters p
JOIN rounds e USING (round_id)
JOIN rounds r ON r.name = e.name AND r.layout = e.layout AND e.started_at < r.started_at
WHERE r.round_id = ? AND p.factor = ?
GROUP BY e.round_id, e.started_at, p.factor_value
ORDER BY e.started_at, e.round_id, p.factor_value;
