-- Numbers of marked items and pass rates, by reader and criterion.
SELECT reader, criterion, items, passes, pass_rate, low, high
FROM audit_readers WHERE round_id = $round ORDER BY reader, criterion;
