-- The code checks of a perturbation.
SELECT check_name, outcome, evidence, spans
FROM live_checks WHERE round_id = $round AND perturbation_id = $id
ORDER BY CASE outcome WHEN 'fail' THEN 1 WHEN 'undecidable' THEN 2 ELSE 3 END, check_name;
