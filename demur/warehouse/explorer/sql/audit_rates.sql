-- Pass rates by class, all five criteria.
SELECT class, readers, items, passes, pass_rate, low, high, published_pass_rate
FROM audit_pass_rates WHERE round_id = $round AND criterion = 'overall' ORDER BY class;
