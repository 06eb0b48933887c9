SELECT
    class, items, passes, round(pass_rate, 3) AS pass_rate, round(low, 3) AS low, round(high, 3) AS high,
    published_pass_rate AS published
FROM audit_pass_rates WHERE round_id = ? AND criterion = 'overall'
ORDER BY class = 'all', class;
