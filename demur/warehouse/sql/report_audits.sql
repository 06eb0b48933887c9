SELECT criterion, class, readers, items, passes, pass_rate, low, high, published_pass_rate
FROM (
    FROM audit_pass_rates WHERE round_id = $1
    UNION ALL BY NAME
    SELECT *, 'all' AS class FROM audit_pass_rate_rollups WHERE round_id = $1
)
ORDER BY criterion = 'overall' DESC, criterion, class = 'all' DESC, class;
