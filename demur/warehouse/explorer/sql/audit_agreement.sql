-- How far readers agree.
SELECT criterion, coefficient, first, second, items, observed, value, reason
FROM audit_agreement WHERE round_id = $round ORDER BY criterion, coefficient, first, second;
