-- Expectations of the stage verify for verdicts.

-- attempt_in_range: attempt
-- A verifier is asked one to three times about a candidate.
SELECT unit_id, perturbation_id, verifier, attempt
FROM live_verdicts
WHERE round_id = $round_id AND attempt NOT BETWEEN 1 AND 3;

-- without_candidate: perturbation_id
-- Every verdict belongs to a candidate.
SELECT unit_id, perturbation_id, verifier, attempt
FROM live_verdicts
ANTI JOIN candidates USING (round_id, perturbation_id)
WHERE round_id = $round_id;

-- unlike_perturbation: class, intensity, generator
-- Class, intensity and generator of a verdict are those of its candidate.
SELECT t.unit_id, t.perturbation_id, t.verifier, t.attempt
FROM live_verdicts t
JOIN candidates p USING (round_id, perturbation_id)
WHERE t.round_id = $round_id
    AND (t.class, t.intensity, t.generator) IS DISTINCT FROM (p.class, p.intensity, p.generator);

-- verifiers_unknown: verifier
-- Every verdict comes from a verifier of the round.
SELECT unit_id, perturbation_id, verifier, attempt
FROM live_verdicts
WHERE round_id = $round_id
    AND verifier NOT IN (SELECT unnest(verifiers) FROM rounds WHERE round_id = $round_id);

-- asked_after_verdict: attempt
-- After a readable verdict, the verifier is not asked about the candidate again.
SELECT t.unit_id, t.perturbation_id, t.verifier, t.attempt
FROM live_verdicts t
JOIN counting_verdicts v USING (round_id, perturbation_id, verifier)
WHERE t.round_id = $round_id AND t.attempt > v.attempt;

-- share acceptance: at least
-- Share of candidates that the verifiers accept.
SELECT 'candidates' AS subject, count(*) FILTER (accepted) AS successes, count(*) AS trials
FROM consensus
WHERE round_id = $round_id;
