-- Expectations of the stage generate for perturbations and their code checks.

-- without_base_instance: base_id
-- Every perturbation has a base instance of the round, which passed the screening.
SELECT unit_id, perturbation_id, base_id
FROM live_perturbations
ANTI JOIN round_bases USING (round_id, base_id)
WHERE round_id = $round_id;

-- generators_unknown: generator
-- Every perturbation comes from a generator of the round.
SELECT unit_id, perturbation_id, generator
FROM live_perturbations
WHERE round_id = $round_id
    AND generator NOT IN (SELECT unnest(generators) FROM rounds WHERE round_id = $round_id);

-- candidates_incomplete: lever_id, lever, question, content_key
-- Every candidate has a lever, a question and a content key.
SELECT unit_id, perturbation_id
FROM live_perturbations
WHERE round_id = $round_id AND status = 'candidate'
    AND (lever_id IS NULL OR lever IS NULL OR question IS NULL OR content_key IS NULL);

-- changes_of_unknown_passages: changed
-- Every passage that a candidate changes is a passage of its base instance.
SELECT t.unit_id, t.perturbation_id
FROM live_perturbations t
JOIN round_bases b USING (round_id, base_id)
WHERE t.round_id = $round_id AND t.status = 'candidate' AND NOT list_has_all(
    list_transform(b.passages, lambda passage: passage.index),
    list_transform(t.changed, lambda change: change.index)
);

-- statuses_unlike_checks: status
-- Candidates fail no code check, and rejected perturbations fail at least one.
WITH checked AS (
    SELECT perturbation_id, count(*) FILTER (outcome = 'fail') AS failing
    FROM live_checks
    WHERE round_id = $round_id AND check_name <> 'no_duplicate'
    GROUP BY perturbation_id
)
SELECT t.unit_id, t.perturbation_id, t.status, c.failing
FROM live_perturbations t
LEFT JOIN checked c USING (perturbation_id)
WHERE t.round_id = $round_id
    AND CASE t.status
        WHEN 'candidate' THEN coalesce(c.failing, 1) > 0
        WHEN 'rejected' THEN coalesce(c.failing, 0) = 0
    END;

-- without_reason: reason
-- Every rejected or declined perturbation has a reason.
SELECT unit_id, perturbation_id, status
FROM live_perturbations
WHERE round_id = $round_id AND status <> 'candidate' AND reason IS NULL;

-- checks_unreadable: checks.outcome
-- A perturbation has each code check at most once, with the outcome pass or fail.
SELECT perturbation_id, check_name, outcome, count(*) AS number
FROM live_checks
WHERE round_id = $round_id AND check_name <> 'no_duplicate'
GROUP BY ALL
HAVING number > 1 OR outcome NOT IN ('pass', 'fail');

-- checks_without_perturbation: checks.perturbation_id
-- Every code check belongs to a perturbation.
SELECT unit_id, perturbation_id, check_name
FROM live_checks
ANTI JOIN live_perturbations USING (round_id, perturbation_id)
WHERE round_id = $round_id AND check_name <> 'no_duplicate';
