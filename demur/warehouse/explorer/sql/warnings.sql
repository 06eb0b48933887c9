-- Expectations that do not hold.
SELECT stage, gate, expectation, subject, observed, bound
FROM expectation_results WHERE round_id = $round AND NOT success
ORDER BY stage, expectation, subject
LIMIT 200;
