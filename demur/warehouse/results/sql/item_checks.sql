-- The code checks of a perturbation.
SELECT check_name, outcome, evidence, spans
FROM live_checks WHERE round_id = $round AND perturbation_id = $id
ORDER BY outcome, check_name;
