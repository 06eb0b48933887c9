DELETE FROM expectation_results WHERE round_id = $round_id AND stage = $stage;
