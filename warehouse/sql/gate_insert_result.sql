INSERT INTO expectation_results
    (round_id, stage, suite, gate, expectation, subject, success, observed, bound, run_at)
VALUES
    ($round_id, $stage, $suite, $gate, $expectation, $subject, $success, $observed, $bound, $run_at);
