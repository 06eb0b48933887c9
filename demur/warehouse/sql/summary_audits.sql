SELECT
    class, items, passes, round(pass_rate, 3) AS pass_rate, round(low, 3) AS low, round(high, 3) AS high,
    published_pass_rate AS published
FROM (
    FROM audit_pass_rates WHERE round_id = $1 AND criterion = 'overall'
    UNION ALL BY NAME
    SELECT *, 'all' AS class FROM audit_pass_rate_rollups WHERE round_id = $1 AND criterion = 'overall'
)
ORDER BY class = 'all', class;
