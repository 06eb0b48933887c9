INSERT INTO expectation_results BY NAME
SELECT
    $round_id AS round_id, $stage AS stage, $suite AS suite, $gate AS gate, $expectation AS expectation,
    $subject AS subject, $success AS success, $observed AS observed, $bound AS bound, $run_at AS run_at,
    $offending AS offending, $successes AS successes, $trials AS trials;
