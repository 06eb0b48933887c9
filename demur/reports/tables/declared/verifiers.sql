SELECT verifier, generator, verdicts, passes, inconsistent, pass_rate
FROM acceptance_by_verifier
WHERE round_id = $round
ORDER BY verifier, generator;
