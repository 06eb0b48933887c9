-- Pass rates of items (criterion `overall`), by class and over all classes.
SELECT class, readers, items, passes, pass_rate, low, high, published_pass_rate
FROM (
    FROM audit_pass_rates WHERE round_id = $round AND criterion = 'overall'
    UNION ALL BY NAME
    SELECT *, 'all' AS class FROM audit_pass_rate_rollups WHERE round_id = $round AND criterion = 'overall'
)
ORDER BY class = 'all', class;
