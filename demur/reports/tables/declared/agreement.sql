SELECT * EXCLUDE (round_id) FROM verifier_agreement WHERE round_id = $round ORDER BY coefficient DESC, first, second;
