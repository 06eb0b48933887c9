-- What the gate of deduplicate expects of the check for duplicates.

-- outcome_undecided: outcome
-- Whether a perturbation is a duplicate is decided: pass or fail.
SELECT unit_id, perturbation_id, outcome
FROM live_checks
WHERE round_id = $round_id AND check_name = 'no_duplicate' AND outcome NOT IN ('pass', 'fail');

-- without_perturbation: perturbation_id
-- Only perturbations that passed every other code check are compared.
SELECT unit_id, perturbation_id, evidence
FROM live_checks
ANTI JOIN (FROM live_perturbations WHERE status = 'candidate') USING (round_id, perturbation_id)
WHERE round_id = $round_id AND check_name = 'no_duplicate';

-- not_compared: perturbation_id
-- Every perturbation that passed every other code check is compared.
SELECT unit_id, perturbation_id
FROM live_perturbations
ANTI JOIN (FROM live_checks WHERE check_name = 'no_duplicate') USING (round_id, perturbation_id)
WHERE round_id = $round_id AND status = 'candidate';
