SELECT criterion, coefficient, first, second, items, observed, value, reason
FROM audit_agreement WHERE round_id = ?
ORDER BY criterion = 'overall' DESC, criterion, coefficient, first, second;
