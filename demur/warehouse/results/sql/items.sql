-- Perturbations and controls: one page, or all. `first_reason` is the first reason of a code check or verifier.
WITH said AS ( -- if rejected
    SELECT perturbation_id, min_by(concat(check_name, ': ', evidence), check_name) AS reason -- if rejected
    FROM live_checks WHERE round_id = $round AND outcome = 'fail' -- if rejected
        AND check_name = $check -- if check
    GROUP BY ALL -- if rejected
    UNION ALL BY NAME -- if rejected
    SELECT perturbation_id, min_by(concat(verifier, ': ', coalesce(issues[1], outcome)), verifier) AS reason -- if rejected
    FROM counting_verdicts WHERE round_id = $round AND outcome <> 'pass' -- if rejected
        AND verifier = $verifier -- if verifier
    GROUP BY ALL -- if rejected
), why AS ( -- if rejected
    SELECT perturbation_id AS id, any_value(reason) AS first_reason FROM said GROUP BY ALL -- if rejected
) -- if rejected
SELECT
    s.id, s.kind, s.class, s.intensity, s.lever_id, s.lever, s.generator, s.domain, s.status,
    coalesce(w.first_reason, s.reason) AS first_reason, -- if rejected
    s.reason, coalesce(s.question, s.original_question) AS question, s.passes, s.verdicts, s.rights, s.judged,
    s.rights_of_models, s.judged_of_models, s.difficulty, s.disagreement, s.verifier_disagreement, s.cost_usd
FROM item_states s
LEFT JOIN why w USING (id) -- if rejected
-- include items_where
ORDER BY ${order}
LIMIT $limit OFFSET $offset -- if limit
