SELECT criterion, class, readers, items, passes, pass_rate, low, high, published_pass_rate
FROM audit_pass_rates WHERE round_id = ?
ORDER BY criterion = 'overall' DESC, criterion, class = 'all' DESC, class;
