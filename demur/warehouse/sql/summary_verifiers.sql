SELECT verifier, generator, verdicts, passes, pass_rate FROM acceptance_by_verifier WHERE round_id = ?;
