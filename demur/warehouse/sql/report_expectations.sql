SELECT stage, gate, expectation, subject, success, observed, bound
FROM expectation_results WHERE round_id = ?
ORDER BY stage, gate, expectation, subject;
