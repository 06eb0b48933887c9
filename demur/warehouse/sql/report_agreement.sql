SELECT * EXCLUDE (round_id) FROM verifier_agreement WHERE round_id = ? ORDER BY coefficient DESC, first, second;
