-- Expectations of the stage deduplicate for the check for duplicates.

-- outcome_undecided: outcome
-- Every check for duplicates has the outcome pass or fail.
SELECT unit_id, perturbation_id, outcome
FROM live_checks
WHERE round_id = $round_id AND check_name = 'no_duplicate' AND outcome NOT IN ('pass', 'fail');

-- without_perturbation: perturbation_id
-- Every check for duplicates belongs to a perturbation that fails no other code check.
SELECT unit_id, perturbation_id, evidence
FROM live_checks
ANTI JOIN (FROM live_perturbations WHERE status = 'candidate') USING (round_id, perturbation_id)
WHERE round_id = $round_id AND check_name = 'no_duplicate';

-- not_compared: perturbation_id
-- Every perturbation that fails no other code check is checked for duplicates.
SELECT unit_id, perturbation_id
FROM live_perturbations
ANTI JOIN (FROM live_checks WHERE check_name = 'no_duplicate') USING (round_id, perturbation_id)
WHERE round_id = $round_id AND status = 'candidate';
