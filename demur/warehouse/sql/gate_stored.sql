SELECT suite, gate, expectation, subject, success, observed, bound, offending, successes, trials
FROM expectation_results
WHERE round_id = $round_id AND stage = $stage
ORDER BY rowid;
