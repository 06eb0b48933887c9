-- What each unit of generate came to in a round, for defects to be combined.
SELECT unit_id, status, lever_id, question, changed FROM perturbations WHERE round_id = ? AND lever_id IS NOT NULL AND question IS NOT NULL;
