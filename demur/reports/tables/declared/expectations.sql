SELECT stage, gate, expectation, subject, success, observed, bound
FROM expectation_results WHERE round_id = $round
ORDER BY stage, gate, expectation, subject;
