SELECT coefficient, first, second, value, low, high, reason, n AS responses
FROM live_judge_agreements WHERE round_id = $round
ORDER BY list_position(['cohen', 'spearman', 'fleiss', 'undecided'], coefficient), first, second;
