-- A page of perturbations and controls.
SELECT
    s.id, s.kind, s.class, s.intensity, s.lever_id, s.lever, s.generator, s.domain, s.status, s.reason,
    coalesce(s.question, s.original_question) AS question, s.passes, s.verdicts, s.rights, s.judged,
    s.difficulty, s.disagreement, s.verifier_disagreement, s.cost_usd
FROM item_states s
-- include items_where
ORDER BY ${order}
LIMIT $limit OFFSET $offset;
